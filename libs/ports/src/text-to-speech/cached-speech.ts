import type { SpeechBlock, SpeechRequest, TextToSpeech } from './text-to-speech';

interface SpeechCacheOptions {
  /** Sound kept in all; the least recently used goes first. */
  readonly bytesMax?: number;
  /** Longer texts are seldom said twice and are not kept. */
  readonly charactersMax?: number;
}

/** Keeps what was said, by owner, provider, language, voice, pace, rate and text. One cache may serve several engines. */
export class SpeechCache {
  private readonly bytesMax: number;
  private readonly charactersMax: number;
  private readonly kept = new Map<string, { blocks: readonly SpeechBlock[]; bytes: number }>();
  private bytes = 0;

  constructor({ bytesMax = 32 * 1024 * 1024, charactersMax = 300 }: SpeechCacheOptions = {}) {
    this.bytesMax = bytesMax;
    this.charactersMax = charactersMax;
  }

  /**
   * The same engine, which says a repeated prompt from memory. Only speech that came to its end is kept, and it is never
   * said for another owner: under somebody's own key or address the same voice may be another one.
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
      this.kept.delete(key);
      this.kept.set(key, known);
      for (const block of known.blocks) yield copyOf(block);
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
    this.keep(key, blocks);
  }

  private keep(key: string, blocks: readonly SpeechBlock[]): void {
    const bytes = blocks.reduce((sum, { samples }) => sum + samples.byteLength, 0);
    if (bytes > this.bytesMax / 4 || this.kept.has(key)) return;
    this.kept.set(key, { blocks, bytes });
    this.bytes += bytes;
    for (const [oldest, entry] of this.kept) {
      if (this.bytes <= this.bytesMax) break;
      this.kept.delete(oldest);
      this.bytes -= entry.bytes;
    }
  }
}

/** Receivers may change what they got, so the memory keeps samples of its own. */
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
