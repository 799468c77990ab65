import { ScriptedCall } from './scripted-call';
import { loudnessOfWord } from './scripted-synthesizer';

/** What is known of the timing of the sound. */
export const timingSources = ['word timings', 'even letters', 'carrier marks', 'uneven, untimed'] as const;
type TimingSource = (typeof timingSources)[number];

/** The outcome of one interruption. */
export interface Interrupted {
  readonly timingSource: TimingSource;
  readonly seed: number;
  /** Words of the answer that were played completely. */
  readonly heardWords: number;
  /** Words stored in history. */
  readonly storedWords: number;
  readonly isPrefix: boolean;
  /** From the caller's first sound to the agent's last; undefined if the agent was silent. */
  readonly silentAfterMs: number | undefined;
}

const samplesPerMs = 8;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** A call that the caller interrupts at some point; everything is drawn from the seed. */
export async function simulateInterruption(seed: number): Promise<Interrupted> {
  const chance = new Chance(seed);
  const timingSource = timingSources[seed % timingSources.length] ?? 'word timings';
  const answer = textOf(chance);
  const scene = callOf(chance, timingSource, answer);
  await scene.says('when do you deliver');
  await scene.isSilent(chance.between(700, 6000));
  const voiceMs = scene.clock.now();
  const wasSpeaking = scene.call.state.kind === 'speaking';
  await scene.says('no wait a moment please', chance.between(900, 2000));
  const heard = scene.line.heard();
  const lastSample = lastSoundOf(heard);
  await scene.isSilent(4000);
  scene.call.end('CALL_ENDED');
  await scene.call.finished;
  const stored = storedText(scene);
  return {
    timingSource,
    seed,
    heardWords: wordsHeard(scene, answer),
    storedWords: stored.split(' ').filter(Boolean).length,
    isPrefix: answer.startsWith(stored),
    silentAfterMs: wasSpeaking ? Math.max(0, lastSample / samplesPerMs - voiceMs) : undefined,
  };
}

function callOf(chance: Chance, timingSource: TimingSource, answer: string): ScriptedCall {
  const isUneven = timingSource === 'word timings' || timingSource === 'uneven, untimed';
  const blockMs = chance.between(0, 60);
  return new ScriptedCall({
    settings: {
      hasMarks: timingSource === 'carrier marks',
      interruption: { minSpeechMs: chance.between(0, 500), minWords: chance.between(0, 2) },
    },
    answer: (question) => (question.startsWith('no wait') ? '' : answer),
    generator: { firstTokenMs: chance.between(0, 400), wordMs: chance.between(0, 40) },
    synthesizer: {
      msPerCharacter: chance.between(45, 75),
      firstSoundMs: chance.between(0, 250),
      tellsWords: timingSource === 'word timings',
      // Without word timings the whole sound has to arrive at once, or its remaining length would be unknown.
      blockMs: timingSource === 'word timings' ? blockMs : 0,
      ...(isUneven && { tempo: (word: number) => 0.6 + ((word * 7919) % 10) / 10 }),
    },
    recognition: { guesses: chance.isLucky(0.8) },
    markMs: chance.between(0, 100),
  });
}

function textOf(chance: Chance): string {
  const sentences = Array.from({ length: chance.between(1, 4) }, () => {
    const words = Array.from({ length: chance.between(3, 14) }, () => wordOf(chance));
    return `${words.join(' ')}.`;
  });
  return sentences.join(' ');
}

function wordOf(chance: Chance): string {
  return Array.from({ length: chance.between(2, 9) }, () => letters[chance.between(0, 25)]).join('');
}

/** What history keeps of the first answer. */
function storedText({ generator, line }: ScriptedCall): string {
  const first = generator.asked.findIndex((_, index) => !generator.discarded.includes(uuidOf(index)));
  const kept = generator.heard.find(({ turnUUID }) => turnUUID === uuidOf(first));
  const done = line.told('agent.done').find(({ turnUUID }) => turnUUID === uuidOf(first));
  return kept?.heardText ?? done?.text ?? '';
}

function uuidOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}

/**
 * Counted in what the line played, where every word has its own loudness. An answer withdrawn unheard is synthesized again with the
 * same words, so each position at which it may begin is tried.
 */
function wordsHeard({ line, synthesizer }: ScriptedCall, answer: string): number {
  const samples = new Map<number, number>();
  for (const sample of line.heard()) if (sample !== 0) samples.set(sample, (samples.get(sample) ?? 0) + 1);
  const words = answer.split(' ');
  const heardFrom = (begin: number): number => {
    const missing = words.findIndex((word, at) => {
      const spoken = synthesizer.words[begin + at];
      return spoken?.text !== word || (samples.get(loudnessOfWord(begin + at)) ?? 0) < spoken.samples;
    });
    return missing < 0 ? words.length : missing;
  };
  return Math.max(0, ...synthesizer.words.map((_, begin) => heardFrom(begin)));
}

function lastSoundOf(heard: Int16Array): number {
  for (let at = heard.length - 1; at >= 0; at--) if (heard[at]) return at + 1;
  return 0;
}

/** A seeded pseudo-random generator (mulberry32). */
export class Chance {
  constructor(private state: number) {}

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number within these bounds. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isLucky(share: number): boolean {
    return this.next() < share;
  }
}
