import { joinSamples, resample } from '@parley/audio';
import type { SpokenLanguage, TextToSpeech } from '@parley/ports';
import { openTextToSpeech } from '@parley/providers/speech-catalogue';
import { noise } from '../../hearing/spoken';

/** What a caller says while the agent is speaking, at 16 kHz, at the voice's own volume. */
export interface Interjection {
  readonly voice: string;
  readonly samples: Int16Array;
}

const environment = { POCKETSPHINX_DIR: '', PARLEY_MODELS: '' };
const english = [
  'No wait, I meant the other one.',
  'Can you tell me how much it costs?',
  'Stop.',
  'Hello, are you there?',
  'What time does the shop open on Saturday?',
  'Excuse me, one moment.',
  'Sorry, that is wrong.',
];
const hindi = ['रुको, मुझे कुछ पूछना है', 'नहीं, एक मिनट', 'सुनो'];
const casts = [
  { engine: 'flite', language: 'english', voices: ['slt', 'rms', 'awb', 'kal16'], texts: english },
  { engine: 'espeak', language: 'english', voices: ['en'], texts: english },
  { engine: 'espeak', language: 'hindi', voices: ['hi', 'hi+f3'], texts: hindi },
] as const;
/** The peaks of a caller close to the microphone, of an ordinary one and of a distant one. */
export const levels = [16_000, 4000, 1300];
const agentText =
  'Thank you for calling our shop. We deliver to every address in the country within three working days. The parcel is handed ' +
  'to the carrier in the evening, and you are told its number by a message to your phone.';
/** A voice begins where it first comes within thirty decibels of its loudest moment, and rises above the noise of the room. */
const onsetShare = 0.03;
const roomNoise = 40;
const audible = 1.5 * roomNoise;

/** Everything the callers say, by every voice that this installation has. */
export async function interjections(): Promise<Interjection[]> {
  const said: Interjection[] = [];
  for (const { engine, language, voices, texts } of casts) {
    const speaker = await openTextToSpeech(engine, environment);
    if (speaker.capabilities.unavailable)
      process.stderr.write(`bench: no callers by ${engine}, since it ${speaker.capabilities.unavailable}\n`);
    else
      for (const voice of voices)
        for (const text of texts) said.push({ voice, samples: await spoken(speaker, { text, language, voice }) });
    await speaker.close();
  }
  return said;
}

/** What the agent is saying when it is interrupted, at 16 kHz, by a voice of flite. */
export async function agentSpeech(voice = 'slt'): Promise<Int16Array> {
  const speaker = await openTextToSpeech('flite', environment);
  const samples = await spoken(speaker, { text: agentText, language: 'english', voice });
  await speaker.close();
  return samples;
}

/** A caller's line: a quiet room, with speech from `atMs` on at the given peak. `onset` is the first sample of the speech. */
export async function lineOf(said: Interjection, line: { peak: number; sampleRate: number; atMs: number; totalMs: number }) {
  const speech = await resample(said.samples, 16_000, line.sampleRate);
  const loudest = speech.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  const from = Math.round((line.atMs * line.sampleRate) / 1000);
  const sound = noise((line.totalMs * line.sampleRate) / 1000, roomNoise);
  for (let i = 0; i < speech.length && from + i < sound.length; i++) {
    sound[from + i] = (sound[from + i] ?? 0) + ((speech[i] ?? 0) * line.peak) / loudest;
  }
  const faintest = Math.max(loudest * onsetShare, (audible * loudest) / line.peak);
  return { sound, from, onset: from + speech.findIndex((sample) => Math.abs(sample) > faintest), end: from + speech.length };
}

async function spoken(
  speaker: TextToSpeech,
  words: { text: string; language: SpokenLanguage; voice: string },
): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  let rate = 16_000;
  for await (const { samples, sampleRate } of speaker.speak(words)) {
    blocks.push(samples);
    rate = sampleRate;
  }
  return resample(joinSamples(blocks), rate, 16_000);
}
