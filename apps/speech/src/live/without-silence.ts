import { SilenceTrimmer } from '@parley/audio';
import type { SpeechBlock, TimedWord } from '@parley/ports';

/** What may stay of an engine's silence at either end of a sentence. */
const keptMs = 20;

interface Shape {
  readonly sampleRate: number;
  /** Silence to begin with. */
  readonly pauseMs: number;
}

/** A sentence without the silence that its engine puts around it, behind a pause of a known length. Its words keep their places. */
export async function* withoutSilence(
  blocks: AsyncIterable<SpeechBlock>,
  { sampleRate, pauseMs }: Shape,
): AsyncGenerator<SpeechBlock> {
  const trimmer = new SilenceTrimmer(sampleRate, keptMs);
  let pause = new Int16Array((sampleRate * pauseMs) / 1000);
  let words: TimedWord[] = [];
  for await (const block of blocks) {
    words.push(...(block.words ?? []));
    for (const samples of trimmer.push(block.samples)) {
      if (pause.length > 0) yield { samples: pause, sampleRate };
      pause = new Int16Array(0);
      const shiftMs = pauseMs - trimmer.trimmedMs;
      yield { samples, sampleRate, ...(words.length > 0 && { words: words.map((word) => shifted(word, shiftMs)) }) };
      words = [];
    }
  }
  for (const samples of trimmer.flush()) yield { samples, sampleRate };
}

function shifted({ text, startMs, endMs }: TimedWord, byMs: number): TimedWord {
  return { text, startMs: Math.max(0, startMs + byMs), endMs: Math.max(0, endMs + byMs) };
}
