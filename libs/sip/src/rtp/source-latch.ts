import type { RemoteInfo } from 'node:dgram';
import { type RtpPacket, sequenceDistance } from './rtp-packet';

interface Place {
  readonly address: string;
  readonly port: number;
}

const probation = 3;
const silentMs = 1000;

/**
 * Whose packets are the peer's, and where ours go. The address that the description names is believed at once. Behind a NAT another
 * port is the true one, sometimes another address: it must be that of the description or of the peer's signalling, prove itself by
 * packets in a row, and it takes over only from a source that is silent. So nobody else can turn a call's sound to himself.
 */
export class SourceLatch {
  private latched: (Place & { lastMs: number }) | undefined;
  private candidate: (Place & { source: number; sequence: number; count: number }) | undefined;
  /** Packets that were not the peer's. */
  foreign = 0;

  constructor(
    private described: Place,
    private readonly signalling: string,
  ) {}

  /** Where our packets go. */
  get target(): Place {
    return this.latched ?? this.described;
  }

  /** After another description: its address is believed anew, but a latched source that goes on sending stays. */
  describe(described: Place): void {
    if (described.address === this.described.address && described.port === this.described.port) return;
    this.described = described;
    this.latched = undefined;
    this.candidate = undefined;
  }

  admits(packet: RtpPacket, from: RemoteInfo, nowMs: number): boolean {
    const { latched } = this;
    if (latched && isSame(latched, from)) {
      latched.lastMs = nowMs;
      return true;
    }
    const isDescribed = isSame(this.described, from);
    const isVacant = !latched || nowMs - latched.lastMs > silentMs;
    const isKnown = from.address === this.described.address || from.address === this.signalling;
    if (!isVacant || (!isDescribed && !(isKnown && this.proves(packet, from)))) {
      this.foreign += 1;
      return false;
    }
    this.latched = { address: from.address, port: from.port, lastMs: nowMs };
    this.candidate = undefined;
    return true;
  }

  private proves({ source, sequence }: RtpPacket, from: RemoteInfo): boolean {
    const { candidate } = this;
    const goesOn =
      candidate && isSame(candidate, from) && candidate.source === source && sequenceDistance(candidate.sequence, sequence) === 1;
    const count = goesOn ? candidate.count + 1 : 1;
    this.candidate = { address: from.address, port: from.port, source, sequence, count };
    return count >= probation;
  }
}

function isSame(one: Place, other: Place): boolean {
  return one.address === other.address && one.port === other.port;
}
