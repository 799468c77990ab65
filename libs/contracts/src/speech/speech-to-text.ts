import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, FileReference, preferencesMax, SpeechLanguage, TextualId } from '../vocabulary';

const hourInSeconds = 3600;
// As long as it may be worked at before the credits that are held for it are given back.
const hearingMsMax = 9 * 60_000;

/** Twenty-five megabytes of recording. */
export const recordingBytesMax = 25 * 1024 * 1024;

const WordTiming = z.object({ word: z.string(), startMs: z.int().min(0), endMs: z.int().min(0) });

/** `durationSeconds` is a hint for the credit hold: what is charged is the real length, `audioSeconds`. */
export const transcribeRecording = defineRequest({
  subject: 'speech.recording.transcribe',
  timeoutMs: hearingMsMax,
  request: described(
    'TranscribeRequest',
    'A recording: WAV, MP3, or raw PCM with its `sampleRate`, told by its content, of at most 25 MB and 60 minutes. Its real length is ' +
      'charged; `durationSeconds` is a hint of what to hold for it. `preferredTranscribeIDs` are models to be taken in their order ' +
      'where they hear the language here.',
    z.object({
      audioFile: FileReference.refine((file) => file.size <= recordingBytesMax, 'must be at most 25 MB'),
      language: SpeechLanguage,
      durationSeconds: z.coerce.number().positive().max(hourInSeconds).optional(),
      sampleRate: z.coerce.number().int().min(8000).max(48_000).optional(),
      wordTimings: z.enum(['true', 'false']).default('false'),
      preferredTranscribeIDs: z.array(TextualId).max(preferencesMax).optional(),
    }),
    {
      audioFile: { fileKey: 'uploads/1/7b.wav', fileName: 'question.wav', size: 64_044, contentType: 'audio/wav' },
      language: 'english',
      durationSeconds: '2',
    },
  ),
  reply: described(
    'Transcription',
    'What was said; empty for silence. `statusCode` is put before it at the door.',
    z.object({
      transcription: z.string(),
      detectedLanguage: z.string().optional(),
      audioSeconds: z.number().min(0),
      words: z.array(WordTiming).optional(),
    }),
    { transcription: 'when do you deliver', detectedLanguage: 'english', audioSeconds: 2 },
  ),
});
