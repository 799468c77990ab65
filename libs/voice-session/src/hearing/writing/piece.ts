import type { SpeechToText, SpokenLanguage, TimedWord } from '@parley/ports';

export interface PieceRequest {
  readonly engine: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
}

/** Sound between two longer pauses, and what was said in it. */
export class Piece {
  text = '';
  language: SpokenLanguage | undefined;
  words: readonly TimedWord[] = [];
  private blocks: Int16Array[] = [];
  private samples = 0;
  private asking: AbortController | undefined;
  /** Settles when what was asked for last is known. Rejects with the engine's failure. */
  written: Promise<void> = Promise.resolve();

  constructor(
    readonly startMs: number,
    private readonly request: PieceRequest,
  ) {}

  get seconds(): number {
    return this.samples / this.request.sampleRate;
  }

  /** More of the same piece. What was being written down of it is no longer of use. */
  add(samples: Int16Array): void {
    this.asking?.abort();
    this.asking = undefined;
    this.blocks.push(samples);
    this.samples += samples.length;
  }

  /** Has the piece written down as it stands. Asking again changes nothing, unless the engine failed. */
  write(): Promise<void> {
    if (this.asking) return this.written;
    this.asking = new AbortController();
    this.written = this.transcribe(this.asking.signal);
    // Whoever waits for it meets the failure; until then it is not unhandled.
    this.written.catch(() => undefined);
    return this.written;
  }

  /** Nothing more will be asked of the piece: its sound need not be kept. */
  release(): void {
    this.asking?.abort();
    this.blocks = [];
  }

  private async transcribe(signal: AbortSignal): Promise<void> {
    const { engine, sampleRate, language, model } = this.request;
    const blocks = [...this.blocks];
    const audio = async function* () {
      yield* blocks;
    };
    const words = engine.capabilities.wordTimings;
    try {
      const heard = await engine.transcribe({ audio, sampleRate, language, model, words, signal });
      if (signal.aborted) return;
      this.text = heard.text.trim();
      this.language = heard.language;
      this.words = (heard.words ?? []).map(({ text, startMs, endMs }) => ({
        text,
        startMs: startMs + this.startMs,
        endMs: endMs + this.startMs,
      }));
    } catch (failure) {
      if (signal.aborted) return;
      this.asking = undefined;
      throw failure;
    }
  }
}
