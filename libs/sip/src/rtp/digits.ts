import { type RtpPacket, timestampDistance } from './rtp-packet';

const keys = '0123456789*#ABCD';
const samplesPerTick = 160;
const pressTicks = 5;
const endings = 3;
const pauseTicks = 4;
const waitTicks = 25;
const waitingMax = 128;
const volume = 10;
const pressable = /^[0-9*#A-Dw]+$/;

/** Hears the keys of RFC 4733: each once, at its first packet, however many of the others are lost. */
export class DigitReceiver {
  private last: { source: number; timestamp: number } | undefined;

  push({ payload, source, timestamp }: RtpPacket): string | undefined {
    if (payload.length < 4) return undefined;
    const { last } = this;
    // One press keeps its timestamp; an older one is a repetition that came late.
    if (last?.source === source && timestampDistance(last.timestamp, timestamp) <= 0) return undefined;
    this.last = { source, timestamp };
    return keys[payload.readUInt8(0)];
  }
}

export interface DigitPacket {
  readonly payload: Uint8Array;
  /** How far before now the press began: all packets of one press carry that timestamp. */
  readonly samplesAgo: number;
  readonly isFirst: boolean;
}

/** Presses keys one after the other: 100 ms each with a pause, the end told three times; `w` waits for half a second. */
export class DigitSender {
  private readonly waiting: string[] = [];
  private ticks = 0;

  /** False when there are too many or one is no key. */
  press(digits: string): boolean {
    if (this.waiting.length + digits.length > waitingMax || !pressable.test(digits)) return false;
    this.waiting.push(...digits);
    return true;
  }

  get isPressing(): boolean {
    return this.waiting.length > 0;
  }

  /** What goes out in this tick in the place of sound; nothing in the pause between two keys. */
  next(): DigitPacket[] {
    const key = this.waiting[0];
    if (key === undefined) return [];
    const tick = this.ticks++;
    if (key === 'w') {
      if (tick >= waitTicks) this.release();
      return [];
    }
    if (tick < pressTicks) return [this.packet(key, tick)];
    if (tick === pressTicks) return Array.from({ length: endings }, () => this.packet(key, tick, true));
    if (tick >= pressTicks + pauseTicks) this.release();
    return [];
  }

  clear(): void {
    // The key that is down is let go properly.
    this.waiting.splice(this.ticks === 0 ? 0 : 1);
  }

  private release(): void {
    this.waiting.shift();
    this.ticks = 0;
  }

  private packet(key: string, tick: number, isEnd = false): DigitPacket {
    const duration = samplesPerTick * Math.max(1, isEnd ? tick : tick + 1);
    const payload = Uint8Array.from([keys.indexOf(key), (isEnd ? 0x80 : 0) | volume, duration >> 8, duration & 0xff]);
    return { payload, samplesAgo: tick * samplesPerTick, isFirst: tick === 0 };
  }
}
