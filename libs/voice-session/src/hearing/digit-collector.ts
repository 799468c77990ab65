import { inspect } from 'node:util';
import type { Clock } from '../clock';

export interface DigitCollectorOptions {
  /** Ends the digits and is not one of them. */
  readonly terminator?: string;
  /** So long without another key, and the digits are whole. */
  readonly interDigitMs?: number;
  /** This many digits complete an entry. */
  readonly lengthMax?: number;
}

/** What a caller keyed in. A secret such as a PIN may be among it, so it shows itself masked wherever it is printed. */
export class KeyedDigits {
  constructor(
    readonly digits: string,
    readonly endedBy: 'terminator' | 'length' | 'timeout',
  ) {}

  /** How many digits there were, and none of them. */
  get masked(): string {
    return '•'.repeat(this.digits.length);
  }

  toString(): string {
    return this.masked;
  }

  /** What the console and loggers print. */
  [inspect.custom](): string {
    return `KeyedDigits ${this.masked}`;
  }

  toJSON(): { digits: string; endedBy: string } {
    return { digits: this.masked, endedBy: this.endedBy };
  }
}

// A carrier may send a key as a message while its tone still sounds on the line.
const sameKeyMs = 250;

/** Gathers keys to the digits that they make together. One key that arrives both as a message and as a tone counts once. */
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

  /** A key, as a tone or as a message of the line. What no keypad has is passed over. */
  press(digit: string, source: 'tone' | 'message' = 'message'): void {
    if (!/^[0-9*#A-D]$/u.test(digit) || this.isEcho(digit, source)) return;
    this.last = { digit, source, atMs: this.clock.now() };
    if (digit === this.options.terminator) return this.end('terminator');
    this.digits += digit;
    if (this.digits.length >= this.options.lengthMax) return this.end('length');
    this.forgetTimeout?.();
    this.forgetTimeout = this.clock.wakeAt(this.clock.now() + this.options.interDigitMs, () => this.end('timeout'));
  }

  /** Whether keys were pressed that are not whole yet. */
  get isCollecting(): boolean {
    return this.digits !== '';
  }

  close(): void {
    this.forgetTimeout?.();
    this.digits = '';
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
