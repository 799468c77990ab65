import type { Standing } from './turnstile';

/**
 * Speaks sentences in order, always working on the next while one is listened to. Leaving early, or going away, drops
 * the one ahead.
 */
export async function* sentenceAhead<Spoken>(
  sentences: readonly string[],
  signal: AbortSignal | undefined,
  speak: (sentence: string, signal: AbortSignal, standing: Standing) => Promise<Spoken>,
): AsyncGenerator<Spoken> {
  const leave = new AbortController();
  const stop = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
  const start = (sentence: string | undefined, standing: Standing): Promise<Spoken> | undefined => {
    const spoken = sentence === undefined ? undefined : speak(sentence, stop, standing);
    // Its failure is met when its turn comes; until then it is not unhandled.
    spoken?.catch(() => undefined);
    return spoken;
  };
  try {
    stop.throwIfAborted();
    let current = start(sentences[0], 'new');
    for (let next = 1; current; next++) {
      const spoken: Spoken = await current;
      current = start(sentences[next], 'begun');
      yield spoken;
    }
  } finally {
    leave.abort();
  }
}
