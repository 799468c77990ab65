import { joinSamples } from '@parley/audio';
import type { SpeechToText, SpokenLanguage } from '@parley/ports';
import type { LineWriter, Written } from './line-writer';

// The first sound of a word is softer than a voice detector asks for.
const preRollMs = 300;
/** How far behind the sound a voice detector may be. */
const keptMs = 2000;
const pieceSecondsMax = 20;
const piecesMax = 6;

interface PieceSettings {
  readonly engine: SpeechToText;
  readonly language: SpokenLanguage;
  readonly sampleRate: number;
  onWritten(written: Written): void;
}

/** Writes down a line by an engine that hears recordings alone: what was said between two silences, one piece after the other. */
export class PieceWriter implements LineWriter {
  private readonly leave = new AbortController();
  private readonly blocks: Int16Array[] = [];
  private readonly waiting: { readonly samples: Int16Array; readonly endSample: number }[] = [];
  private held = 0;
  private position = 0;
  private isSpeaking = false;
  private working: Promise<void> | undefined;

  constructor(private readonly settings: PieceSettings) {}

  push(samples: Int16Array): void {
    this.blocks.push(samples);
    this.held += samples.length;
    this.position += samples.length;
    const { sampleRate, engine } = this.settings;
    const samplesMax = Math.min(engine.capabilities.secondsMax, pieceSecondsMax) * sampleRate;
    if (!this.isSpeaking) this.keepFrom(this.position - (keptMs * sampleRate) / 1000);
    else if (this.held >= samplesMax) this.cut();
  }

  speechStarted(atMs: number): void {
    this.keepFrom(((atMs - preRollMs) * this.settings.sampleRate) / 1000);
    this.isSpeaking = true;
  }

  speechEnded(): void {
    if (this.isSpeaking) this.cut();
    this.isSpeaking = false;
  }

  async finish(): Promise<void> {
    this.speechEnded();
    await this.working;
  }

  close(): void {
    this.waiting.length = 0;
    this.leave.abort();
  }

  private keepFrom(sample: number): void {
    for (let first = this.blocks[0]; first && this.position - this.held + first.length <= sample; first = this.blocks[0]) {
      this.blocks.shift();
      this.held -= first.length;
    }
  }

  private cut(): void {
    this.waiting.push({ samples: joinSamples(this.blocks), endSample: this.position });
    this.blocks.length = 0;
    this.held = 0;
    if (this.waiting.length > piecesMax) {
      this.waiting.shift();
      this.settings.onWritten({ kind: 'behind' });
    }
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private async work(): Promise<void> {
    for (let piece = this.waiting.shift(); piece; piece = this.waiting.shift()) await this.write(piece);
  }

  private async write({ samples, endSample }: { samples: Int16Array; endSample: number }): Promise<void> {
    const { engine, language, sampleRate, onWritten } = this.settings;
    async function* audio(): AsyncGenerator<Int16Array> {
      yield samples;
    }
    try {
      const { text } = await engine.transcribe({ audio, language, sampleRate, signal: this.leave.signal });
      onWritten({ kind: 'final', text, atSample: endSample });
    } catch (failure) {
      if (!this.leave.signal.aborted) onWritten({ kind: 'failed', failure });
    }
  }
}
