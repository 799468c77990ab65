import type { LiveHearing } from '@parley/ports';
import type { LineWriter, Written } from './line-writer';

/** Writes down a line by an engine that hears while one speaks. */
export class LiveWriter implements LineWriter {
  private readonly reading: Promise<void>;
  private isClosed = false;

  constructor(
    private readonly hearing: LiveHearing,
    private readonly onWritten: (written: Written) => void,
  ) {
    this.reading = this.read();
  }

  push(samples: Int16Array): void {
    this.hearing.push(samples);
  }

  /** The engine listens for itself. */
  speechStarted(_atMs: number): void {}
  speechEnded(): void {}

  finish(): Promise<void> {
    this.hearing.finish();
    return this.reading;
  }

  close(): void {
    this.isClosed = true;
    this.hearing.close();
  }

  private async read(): Promise<void> {
    try {
      for await (const event of this.hearing.events) {
        if (event.kind === 'partial' || event.kind === 'final') this.onWritten({ kind: event.kind, text: event.text });
      }
    } catch (failure) {
      if (!this.isClosed) this.onWritten({ kind: 'failed', failure });
    }
  }
}
