import { type HearingEvent, type HearingRequest, type LiveHearing, ProviderFailure, type TimedWord } from '@parley/ports';
import { z } from 'zod';
import { EventQueue } from '../speech-http';

const pieceMs = 160;

export const provider = 'zipformer';

const backlogSecondsMax = 10;

/** A message of the process about a stream. */
export const RecognizerMessage = z
  .object({ stream: z.int() })
  .and(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('opened') }),
      z.object({ kind: z.literal('finished') }),
      z.object({ kind: z.literal('heard'), samples: z.int() }),
      z.object({ kind: z.literal('partial'), text: z.string() }),
      z.object({ kind: z.literal('final'), text: z.string(), pieces: z.array(z.string()), secondsOf: z.array(z.number()) }),
    ]),
  );
export type RecognizerMessage = z.output<typeof RecognizerMessage>;

interface StreamParent {
  order(order: object): void;
  onEnd(): void;
}

/** A stream of sound in the transcribing process. */
export class ZipformerStream implements LiveHearing {
  private readonly queue = new EventQueue<HearingEvent>();
  private readonly opened = Promise.withResolvers<void>();
  private backlog = 0;
  private isOpen = false;
  private isFinishing = false;
  private isSpeaking = false;
  private isOver = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly request: HearingRequest,
    private readonly ends: StreamParent,
  ) {
    // Its failure is handled by the opener of the stream; until then it must not count as unhandled.
    this.opened.promise.catch(() => undefined);
    request.signal?.addEventListener('abort', this.leave, { once: true });
    ends.order({ order: 'open' });
  }

  get events(): AsyncIterable<HearingEvent> {
    return this.queue;
  }

  /** Whether a message of the process about this stream is expected. */
  get isOwed(): boolean {
    return !this.isOpen || this.isFinishing || this.backlog > 0;
  }

  /** Resolves once the model is loaded. */
  ready(): Promise<void> {
    return this.opened.promise;
  }

  push(samples: Int16Array): void {
    if (this.isOver) return;
    this.backlog += samples.length;
    if (this.backlog > this.backlogMax) {
      return this.end(new ProviderFailure(provider, `is ${backlogSecondsMax} seconds behind`, { retryable: true }));
    }
    this.ends.order({ order: 'hear', samples, sampleRate: this.request.sampleRate });
  }

  /** Pushes sound as fast as the process accepts it, until the stream is over. */
  async pushAll(samples: Int16Array): Promise<void> {
    const { sampleRate } = this.request;
    for (let at = 0; at < samples.length && !this.isOver; at += sampleRate) {
      while (!this.isOver && this.backlog + sampleRate > this.backlogMax) await this.progress();
      this.push(samples.subarray(at, at + sampleRate));
    }
  }

  finish(): void {
    if (this.isOver) return;
    this.isFinishing = true;
    this.ends.order({ order: 'finish', sampleRate: this.request.sampleRate });
  }

  close(): void {
    this.end(undefined);
  }

  /** Handles a message of the process. */
  receive(message: RecognizerMessage): void {
    if (message.kind === 'opened') {
      this.isOpen = true;
      return this.opened.resolve();
    }
    if (message.kind === 'finished') return this.end(undefined);
    if (message.kind === 'heard') {
      this.backlog -= message.samples;
      return this.wake?.();
    }
    if (!this.isSpeaking) this.queue.push({ kind: 'speech-started' });
    this.isSpeaking = message.kind === 'partial';
    if (message.kind === 'partial') return this.queue.push({ kind: 'partial', text: plain(message.text.trim()) });
    const words = this.request.words && { words: wordsOf(message.pieces, message.secondsOf) };
    this.queue.push({ kind: 'final', text: plain(message.text.trim()), language: 'english', ...words });
    this.queue.push({ kind: 'speech-ended' });
  }

  /** Ends the stream; later calls have no effect. */
  end(failure: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.request.signal?.removeEventListener('abort', this.leave);
    this.ends.order({ order: 'close' });
    this.queue.end(failure);
    this.opened.reject(failure ?? new ProviderFailure(provider, 'was closed', { retryable: false }));
    this.wake?.();
    this.ends.onEnd();
  }

  private progress(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private get backlogMax(): number {
    return backlogSecondsMax * this.request.sampleRate;
  }

  private readonly leave = (): void => this.close();
}

/**
 * Joins pieces to words; a piece with a leading space begins a word. A word ends a little after its last piece, or when the next word
 * begins.
 */
export function wordsOf(pieces: readonly string[], secondsOf: readonly number[]): TimedWord[] {
  const words: { text: string; startMs: number; endMs: number }[] = [];
  for (const [index, piece] of pieces.entries()) {
    const atMs = Math.round((secondsOf[index] ?? 0) * 1000);
    const last = words.at(-1);
    if (last && !piece.startsWith(' ')) {
      last.text += plain(piece);
      last.endMs = atMs + pieceMs;
      continue;
    }
    if (last) last.endMs = Math.min(last.endMs, atMs);
    words.push({ text: plain(piece.trimStart()), startMs: atMs, endMs: atMs + pieceMs });
  }
  return words;
}

/** Lower-cases the output of models that write only capitals. */
export function plain(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text;
}
