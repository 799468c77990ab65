import { inspect } from 'node:util';
import type { Clock } from '../clock';

export interface DigitCollectorOptions {
  /** Ends an entry, and is not part of it. */
  readonly terminator?: string;
  /** An entry is complete after this long without another key. */
  readonly interDigitMs?: number;
  /** An entry is complete at this many digits. */
  readonly lengthMax?: number;
}

/** What a caller keyed in. It may be a secret such as a PIN, so it is masked wherever it is printed. */
export class KeyedDigits {
  constructor(
    readonly digits: string,
    readonly endedBy: 'terminator' | 'length' | 'timeout' | 'closed',
  ) {}

  /** One bullet for each digit. */
  get masked(): string {
    return '•'.repeat(this.digits.length);
  }

  toString(): string {
    return this.masked;
  }

  [inspect.custom](): string {
    return `KeyedDigits ${this.masked}`;
  }

  toJSON(): { digits: string; endedBy: string } {
    return { digits: this.masked, endedBy: this.endedBy };
  }
}

// A carrier may report a key by a message while its tone is still on the line.
const sameKeyMs = 250;

/** Collects keys into entries. A key reported both by a message and by its tone counts once. */
export class DigitCollector {
  private readonly options: Required<DigitCollectorOptions>;
  private digits = '';
  private last: { readonly digit: string; readonly source: string; readonly atMs: number } | undefined;
  private forgetTimeout: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDigits: (keyed: KeyedDigits) => void,
    options: DigitCollectorOptions = {},
  ) {
    this.options = { terminator: '#', interDigitMs: 3000, lengthMax: 32, ...options };
  }

  /** A key, from its tone or from a message of the carrier. Anything else is ignored. */
  press(digit: string, source: 'tone' | 'message' = 'message'): void {
    if (!/^[0-9*#A-D]$/u.test(digit) || this.isEcho(digit, source)) return;
    this.last = { digit, source, atMs: this.clock.now() };
    if (digit === this.options.terminator) return this.end('terminator');
    this.digits += digit;
    if (this.digits.length >= this.options.lengthMax) return this.end('length');
    this.forgetTimeout?.();
    this.forgetTimeout = this.clock.wakeAt(this.clock.now() + this.options.interDigitMs, () => this.end('timeout'));
  }

  /** Whether an entry has begun and is not complete. */
  get isCollecting(): boolean {
    return this.digits !== '';
  }

  /** No more keys come, so an entry that has begun is complete. */
  close(): void {
    this.end('closed');
  }

  private isEcho(digit: string, source: string): boolean {
    const { last } = this;
    return last !== undefined && last.digit === digit && last.source !== source && this.clock.now() - last.atMs < sameKeyMs;
  }

  private end(endedBy: KeyedDigits['endedBy']): void {
    this.forgetTimeout?.();
    this.forgetTimeout = undefined;
    const { digits } = this;
    this.digits = '';
    if (digits !== '') this.onDigits(new KeyedDigits(digits, endedBy));
  }
}
