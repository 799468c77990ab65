// `npm run eval -- recognizers [--most N]`: the word error rate of the local English engines, on one speaker's recordings for
// telephone exchanges: as recorded (8 kHz), through mu-law, and with noise. Runs every installed engine, says what the others
// lack, and prints the processing time per second of speech.
import { muLaw } from '@parley/audio';
import type { SpeechToText } from '@parley/ports';
import { openSpeechToText, transcribeProviders } from '@parley/providers/speech-catalogue';
import { report } from '../measure/report';
import { type Spoken, spokenWords, transcribed } from './spoken-words';

const noiseDb = 10;

const lines = {
  'as recorded': (samples: Int16Array) => samples,
  'mu-law': (samples: Int16Array) => muLaw.decode(muLaw.encode(samples)),
  'noise at 10 dB': (samples: Int16Array) => muLaw.decode(muLaw.encode(noisy(samples))),
} as const;

async function main(): Promise<void> {
  const [, most] = process.argv.slice(process.argv.indexOf('--most'));
  const spoken = spokenWords(process.argv.includes('--most') ? Number(most) : undefined);
  if (spoken.length === 0) return console.log('No recordings: Debian’s packages could not be downloaded.');
  const config = { PARLEY_MODELS: '.cache/models', POCKETSPHINX_DIR: '.cache/pocketsphinx' };
  for (const { name, models } of transcribeProviders.filter(({ isLocal }) => isLocal)) {
    for (const { model } of models) {
      const engine = await openSpeechToText(name, config);
      try {
        report('recognizers', await figuresOf(engine, `${name} ${model}`, { model, spoken }));
      } catch (failure) {
        console.log(`${name} ${model}: ${engine.capabilities.unavailable ?? String(failure)}`);
      } finally {
        await engine.close();
      }
    }
  }
}

async function figuresOf(engine: SpeechToText, what: string, { model, spoken }: { model: string; spoken: readonly Spoken[] }) {
  const rows = [];
  for (const [line, through] of Object.entries(lines)) {
    const { wrong, words, whole, seconds, tookMs } = await transcribed(engine, { model, spoken, through });
    rows.push({
      ...{ engine: what, line, recordings: spoken.length, words },
      wordErrors: percent(wrong / words),
      withoutError: percent(whole / spoken.length),
      msPerSecondOfSpeech: Math.round(tookMs / seconds),
    });
  }
  return rows;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Adds white noise `noiseDb` below the voice, the same in every run. */
function noisy(samples: Int16Array): Int16Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const amplitude = Math.sqrt(3 * power) / 10 ** (noiseDb / 20);
  let seed = 1;
  return samples.map((sample) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.max(-32_768, Math.min(32_767, sample + amplitude * (seed / 2 ** 31 - 1)));
  });
}

void main();
