import { LRUCache } from 'lru-cache';
import { type CircuitBreaker, ProviderFailure } from '../provider-failure';
import {
  begin,
  type BreakerOptions,
  type Candidate,
  candidatesOf,
  eitherSignal,
  firstThatWorks,
  inTime,
  nobodyWaits,
  patienceWith,
  retrying,
  type RetryOptions,
  TimelyItems,
} from '../resilience';
import type { SpeechBlock, SpeechRequest, TextToSpeech, TextToSpeechCapabilities, Voice } from './text-to-speech';

export interface EnduringSpeechOptions extends BreakerOptions {
  /** If the first engine has produced no sound after this long, asks the next one too. Off by default, since both may charge. */
  readonly hedgeMs?: number | undefined;
  readonly retry?: Omit<RetryOptions, 'signal'>;
  /** The longest wait for the first sound, and then between two blocks. */
  readonly firstSoundMs?: number;
  readonly nextSoundMs?: number;
}

/**
 * Speaks with the first of several engines that works. Until the first sound is sent, a failure moves on to the next engine;
 * after that the listener would hear a break, so the failure is passed on.
 */
export class EnduringSpeech implements TextToSpeech {
  private readonly candidates: readonly Candidate<TextToSpeech>[];
  private readonly primary: TextToSpeech;

  constructor(
    [primary, ...others]: readonly [TextToSpeech, ...TextToSpeech[]],
    private readonly options: EnduringSpeechOptions = {},
  ) {
    this.primary = primary;
    this.candidates = candidatesOf([primary, ...others], options);
  }

  get capabilities(): TextToSpeechCapabilities {
    return this.primary.capabilities;
  }

  voices(): Promise<readonly Voice[]> {
    return this.primary.voices();
  }

  async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const candidates = this.candidatesFor(request);
    const start = async (engine: TextToSpeech, itsBreaker: CircuitBreaker, late: AbortSignal) => {
      const signal = eitherSignal(request.signal, late);
      const own = this.asFor(engine, { ...request, signal });
      const patience = { ...patienceWith(engine, candidates, this.options.retry), signal };
      return { blocks: await retrying(() => this.attempt(engine, own), patience), breaker: itsBreaker };
    };
    const { blocks, breaker } = await firstThatWorks(candidates, start, { ...this.options, onFailure: request.onFailure });
    try {
      yield* blocks;
    } catch (failure) {
      breaker.learnFrom(failure);
      if (failure instanceof ProviderFailure) request.onFailure?.(failure);
      throw failure;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.candidates.map(({ engine }) => engine.close()));
  }

  private candidatesFor({ language }: SpeechRequest): readonly Candidate<TextToSpeech>[] {
    const [first, ...others] = this.candidates.filter(({ engine }) => canSpeak(engine, language));
    return first ? [first, ...others] : this.candidates.slice(0, 1);
  }

  /** A voice belongs to one engine; fallbacks use their own. */
  private asFor(engine: TextToSpeech, request: SpeechRequest): SpeechRequest {
    return engine === this.primary ? request : { ...request, voice: undefined };
  }

  private async attempt(engine: TextToSpeech, request: SpeechRequest): Promise<AsyncIterable<SpeechBlock>> {
    const { firstSoundMs = 5000, nextSoundMs = 10_000 } = this.options;
    const { provider } = engine.capabilities;
    const giveUp = new AbortController();
    const signal = eitherSignal(request.signal, giveUp.signal);
    const gaps: Gaps = {};
    const own = { ...request, signal, beforePiece: unhurried(request, gaps) };
    try {
      const blocks = await inTime(begin(engine.speak(own)), { provider, timeoutMs: firstSoundMs });
      return withoutGaps(blocks, { limit: { provider, timeoutMs: nextSoundMs }, giveUp, gaps });
    } catch (failure) {
      giveUp.abort(nobodyWaits);
      throw failure;
    }
  }
}

function canSpeak({ capabilities }: TextToSpeech, language: SpeechRequest['language']): boolean {
  return capabilities.unavailable === undefined && capabilities.languages.includes(language);
}

/** The limit for the blocks of a speech, once its first has arrived. */
interface Gaps {
  timely?: TimelyItems<SpeechBlock>;
}

/** A listener that takes its time for the next piece must not look like an engine that hangs. */
function unhurried({ beforePiece }: SpeechRequest, gaps: Gaps): SpeechRequest['beforePiece'] {
  return beforePiece && ((characters) => gaps.timely?.heldUpBy(beforePiece(characters)) ?? beforePiece(characters));
}

async function* withoutGaps(
  blocks: AsyncIterable<SpeechBlock>,
  { limit, giveUp, gaps }: { limit: { provider: string; timeoutMs: number }; giveUp: AbortController; gaps: Gaps },
): AsyncGenerator<SpeechBlock> {
  const iterator = blocks[Symbol.asyncIterator]();
  const timely = new TimelyItems(iterator, limit);
  gaps.timely = timely;
  try {
    for (let next = await timely.next(); !next.done; next = await timely.next()) yield next.value;
  } finally {
    timely.end();
    giveUp.abort(nobodyWaits);
    // An engine that hangs may never answer this, so it is not awaited.
    void iterator.return?.()?.catch(() => undefined);
  }
}

interface SpeechCacheOptions {
  /** The size of the cache; the least recently used speech is evicted first. */
  readonly bytesMax?: number;
  /** Longer texts are rarely repeated and are not cached. */
  readonly charactersMax?: number;
}

/** Caches speech by owner, provider, language, voice, pace, rate and text. One cache may serve several engines. */
export class SpeechCache {
  private readonly charactersMax: number;
  private readonly kept: LRUCache<string, readonly SpeechBlock[]>;

  constructor({ bytesMax = 32 * 1024 * 1024, charactersMax = 300 }: SpeechCacheOptions = {}) {
    this.charactersMax = charactersMax;
    this.kept = new LRUCache({ maxSize: bytesMax, maxEntrySize: Math.floor(bytesMax / 4), sizeCalculation: bytesOf });
  }

  /**
   * Wraps an engine so that repeated prompts come from the cache. Only complete speech is cached, and never shared between
   * owners: with another key or address the same voice may sound different.
   */
  around(engine: TextToSpeech, owner = ''): TextToSpeech {
    return {
      get capabilities() {
        return engine.capabilities;
      },
      voices: () => engine.voices(),
      speak: (request) => this.speak(engine, request, keyOf(owner, engine, request)),
      close: () => engine.close(),
    };
  }

  private async *speak(engine: TextToSpeech, request: SpeechRequest, key: string): AsyncGenerator<SpeechBlock> {
    request.signal?.throwIfAborted();
    const known = this.kept.get(key);
    if (known) {
      await request.beforePiece?.([...request.text].length);
      for (const block of known) yield copyOf(block);
      return;
    }
    yield* request.text.length > this.charactersMax ? engine.speak(request) : this.remembering(engine, request, key);
  }

  private async *remembering(engine: TextToSpeech, request: SpeechRequest, key: string): AsyncGenerator<SpeechBlock> {
    const blocks: SpeechBlock[] = [];
    for await (const block of engine.speak(request)) {
      blocks.push(copyOf(block));
      yield block;
    }
    this.kept.set(key, blocks);
  }
}

/** Speech without sound takes space too. */
function bytesOf(blocks: readonly SpeechBlock[]): number {
  return Math.max(
    1,
    blocks.reduce((sum, { samples }) => sum + samples.byteLength, 0),
  );
}

/** Receivers may modify their samples, so the cache stores copies. */
function copyOf(block: SpeechBlock): SpeechBlock {
  return { ...block, samples: block.samples.slice() };
}

function keyOf(
  owner: string,
  { capabilities }: TextToSpeech,
  { language, voice, pace = 1, sampleRate, text }: SpeechRequest,
): string {
  return JSON.stringify([owner, capabilities.provider, language, voice, pace, sampleRate, text]);
}
