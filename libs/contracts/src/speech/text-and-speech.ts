import { z } from 'zod';
import { Fault } from '../faults';
import { defineRequest, defineStream } from '../messages';
import { described, FileReference, filledText, preferencesMax, RecordId, SpeechLanguage, TextualId } from '../vocabulary';

const hourInSeconds = 3600;
// How long a recording may be processed before the credits held for it are released.
const hearingMsMax = 9 * 60_000;

/** A recording of 25 megabytes. */
export const recordingBytesMax = 25 * 1024 * 1024;

const WordTiming = z.object({ word: z.string(), startMs: z.int().min(0), endMs: z.int().min(0) });

const audioFile = FileReference.refine((file) => file.size <= recordingBytesMax, 'must be at most 25 MB');
const sampleRate = z.coerce.number().int().min(8000).max(48_000).optional();

/** For the gateway: how long a recording is, so that all of it is paid for before it is transcribed. */
export const measureRecording = defineRequest({
  subject: 'speech.recording.measure',
  timeoutMs: 60_000,
  request: described('MeasureRequest', 'A recording to be transcribed.', z.object({ audioFile, sampleRate }), {
    audioFile: { fileKey: 'uploads/1/7b.wav', fileName: 'question.wav', size: 64_044, contentType: 'audio/wav' },
  }),
  reply: described('RecordingLength', 'How long it is.', z.object({ audioSeconds: z.number().min(0) }), { audioSeconds: 2 }),
});

/** `durationSeconds` was a hint for the credit hold; recordings are now measured. */
export const transcribeRecording = defineRequest({
  subject: 'speech.recording.transcribe',
  timeoutMs: hearingMsMax,
  request: described(
    'TranscribeRequest',
    'A recording: WAV, MP3, or raw PCM with its `sampleRate`, recognized by its content, of at most 25 MB and 60 minutes. Its real length is ' +
      'charged, and must be covered by credits before it is transcribed; `durationSeconds` has no effect. `preferredTranscribeIDs` are models to use in this order ' +
      'if they support the language here.',
    z.object({
      audioFile,
      language: SpeechLanguage,
      durationSeconds: z.coerce.number().positive().max(hourInSeconds).optional(),
      sampleRate,
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
    'What was said; empty for silence. The gateway adds `statusCode`.',
    z.object({
      transcription: z.string(),
      detectedLanguage: z.string().optional(),
      audioSeconds: z.number().min(0),
      words: z.array(WordTiming).optional(),
    }),
    { transcription: 'when do you deliver', detectedLanguage: 'english', audioSeconds: 2 },
  ),
});

/** The same piece by piece: whoever follows it stops when nobody waits any more, and charges what was transcribed until then. */
export const followTranscription = defineStream({
  subject: 'speech.recording.follow',
  timeoutMs: hearingMsMax,
  request: transcribeRecording.request,
  item: described(
    'TranscriptionStep',
    'How much of the recording has been transcribed; at the end, what was said.',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('heard'), audioSeconds: z.number().min(0) }),
      transcribeRecording.reply.extend({ type: z.literal('done') }),
    ]),
    { type: 'heard', audioSeconds: 27.5 },
    { type: 'done', transcription: 'when do you deliver', detectedLanguage: 'english', audioSeconds: 31 },
  ),
  pausesAfter: 'heard',
});

type TranscriptionStep = z.output<typeof followTranscription.item>;

/**
 * The last step of a transcription: its result or, once nobody waits for that any more, the piece that was in progress. Its
 * `audioSeconds` are charged either way. `onHeard` is told how far each piece before the result reaches.
 */
export async function lastStepOf(
  steps: AsyncIterable<TranscriptionStep>,
  { isAwaited, onHeard }: { isAwaited(): boolean; onHeard?(audioSeconds: number): void },
): Promise<TranscriptionStep> {
  for await (const step of steps) {
    if (step.type === 'done') return step;
    onHeard?.(step.audioSeconds);
    if (!isAwaited()) return step;
  }
  throw new Fault('INTERNAL', { cause: new Error('a transcription ended without its result') });
}

const audioPartBase64Max = 90_000;
const charactersMax = 5000;
// A client may read as slowly as it plays, and five thousand characters at the slowest pace take almost nine minutes.
const listeningMsMax = 9 * 60_000;

/**
 * The audio in a stream of parts. The first item gives the format, and each later one is a part of the audio. If it is followed, it
 * also says before and between them which pieces of the text are begun.
 */
export const AudioItem = described(
  'AudioItem',
  'A step of an audio stream. The sizes stay far below the limit of one message.',
  z.discriminatedUnion('type', [
    /** Only in streams that are followed: an engine is given another piece of the text if the reader goes on. */
    z.object({ type: z.literal('next') }),
    /** That it has been given it, and how much of the text it has been given by now. */
    z.object({ type: z.literal('given'), characters: z.int().min(0) }),
    z.object({
      type: z.literal('format'),
      contentType: z.string(),
      sampleRate: z.int(),
      /** What is charged: those of the text without those that are unsaid. */
      characters: z.int().min(0),
      /** How many characters are left out because no voice here says their script. Absent if there are none. */
      unsaid: z.int().min(1).optional(),
      /** Null while the total length is unknown. */
      totalBytes: z.int().min(0).nullable(),
    }),
    z.object({
      type: z.literal('audio'),
      base64: z.string().max(audioPartBase64Max),
      /** How many characters have been spoken by the end of this part, estimated from its length. */
      characters: z.int().min(0).optional(),
    }),
  ]),
  { type: 'next' },
  { type: 'given', characters: 12 },
  { type: 'format', contentType: 'audio/wav', sampleRate: 24_000, characters: 12, totalBytes: null },
  { type: 'audio', base64: 'UklGRg==' },
);
export type AudioItem = z.output<typeof AudioItem>;

const SampleRate = z.int().min(8000).max(48_000);
const Pace = z.number().min(0.7).max(1.2).default(1);

/** Counts what is billed: Unicode code points. */
export function charactersOf(words: string): number {
  return [...words].length;
}

/** What a client asks to be spoken. */
export const SpeechText = described(
  'SynthesizeSpeechRequest',
  'Text to be spoken. Without `voiceID` the organization’s voice speaks it: that of the first provider for which the organization has a key, ' +
    'or otherwise the installation has one. `preferredVoiceIDs` are used in this order if they speak the language here. ' +
    'Characters, in the limit and in charges, are Unicode code points. Punctuation and emoji without a word are refused. ' +
    'A text may mix scripts: sentences in a script that the voice does not say are spoken by one that does, and single Hindi or Marathi ' +
    'words in an English sentence as if they were written in Latin letters. What no voice here says is left out and not charged; ' +
    '`X-Unsaid-Characters` counts it, and a text of nothing else is answered with PROVIDER_NOT_CONFIGURED. ' +
    'A text is spoken in pieces: sentences with voices of the installation, thousands of characters with those of a provider. A client that ' +
    'leaves pays for the pieces that an engine was given by then, rounded up, and no other is begun; with an Idempotency-Key the text is ' +
    'spoken to its end, and all of it is paid.',
  z.object({
    // A code point may take two UTF-16 units. JSON Schema counts code points, as we do.
    text: filledText(charactersMax * 2)
      .refine((words) => charactersOf(words) <= charactersMax, 'must have at most 5,000 characters')
      .meta({ maxLength: charactersMax }),
    language: SpeechLanguage,
    pace: Pace,
    voiceID: RecordId.optional(),
    preferredVoiceIDs: z.array(RecordId).max(preferencesMax).optional(),
    sampleRate: SampleRate.optional(),
    format: z.enum(['wav', 'mp3', 'pcm', 'mulaw']).default('wav'),
    responseMode: z.enum(['stream', 'sync']).default('stream'),
  }),
  { text: 'Hello world.', language: 'english', pace: 1 },
);

/**
 * Speaks a text. If it is followed (`isFollowed`), an engine is given each piece only once the reader has asked for what comes next:
 * so a reader that leaves knows what was begun, which is what it pays for.
 */
export const synthesizeSpeech = defineStream({
  subject: 'speech.speech.synthesize',
  timeoutMs: listeningMsMax,
  request: described(
    'FollowedSpeechRequest',
    'Text to be spoken, and whether its reader is asked before each piece.',
    SpeechText.extend({ isFollowed: z.boolean().optional() }),
    { text: 'Hello world.', language: 'english', pace: 1, isFollowed: true },
  ),
  item: AudioItem,
  pausesAfter: 'next',
});

export const previewVoice = defineStream({
  subject: 'speech.voice.preview',
  request: described(
    'DemoVoiceRequest',
    'The voice to hear.',
    z.object({ voiceID: TextualId, voiceProviderID: TextualId, speed: z.coerce.number().min(0.7).max(1.2).default(1) }),
    { voiceID: '3', voiceProviderID: '1', speed: '1.1' },
  ),
  item: AudioItem,
});
