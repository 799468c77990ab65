import { createSocket, type RemoteInfo, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import { type RtpPacket, sequenceDistance } from './rtp-packet';

/** The part of a datagram socket that we use. */
export interface DatagramEnd {
  on(event: 'message', received: (bytes: Buffer, from: RemoteInfo) => void): unknown;
  send(bytes: Uint8Array, port: number, address: string, sent?: () => void): void;
}

/** The two adjacent ports of a call: the even one for sound, the odd one for reports. */
export interface PortPair {
  readonly sound: DatagramEnd;
  readonly reports: DatagramEnd;
  readonly port: number;
  close(): void;
}

export interface PortRange {
  readonly host: string;
  /** Both ends are included; a call takes two ports. */
  readonly from: number;
  readonly to: number;
}

// Peers are always addresses, so look-ups are skipped.
const asWritten: NonNullable<SocketOptions['lookup']> = (host, _options, found) => found(null, host, 4);

/** The even ports with which the pairs of a range begin. */
export function pairsOf({ from, to }: Pick<PortRange, 'from' | 'to'>): number[] {
  const first = from + (from % 2);
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / 2)) }, (_, place) => first + place * 2);
}

/** Allocates the ports of a range in turn, so that a freed port is not immediately reused by another call. */
export class PortPairs {
  private readonly free: number[];

  constructor(private readonly range: PortRange) {
    this.free = pairsOf(range);
    if (this.free.length === 0) throw new RangeError('the range of media ports holds no pair of ports');
  }

  /** For how many more calls there are ports. */
  get left(): number {
    return this.free.length;
  }

  /** The next pair that can be bound; undefined if all are in use. Ports of other programs are skipped. */
  async take(): Promise<PortPair | undefined> {
    for (let tries = this.free.length; tries > 0; tries--) {
      const port = this.free.shift();
      if (port === undefined) return undefined;
      const pair = await this.bind(port);
      if (pair) return pair;
      this.free.push(port);
    }
    return undefined;
  }

  private async bind(port: number): Promise<PortPair | undefined> {
    const sockets = [port, port + 1].map(() => createSocket({ type: 'udp4', lookup: asWritten }));
    const [sound, reports] = sockets;
    if (!sound || !reports) return undefined;
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.free.push(port);
      for (const socket of sockets) socket.close();
    };
    try {
      for (const [i, socket] of sockets.entries()) {
        // Subscribed before binding, since without a look-up the socket binds at once.
        const bound = once(socket, 'listening');
        socket.bind({ port: port + i, address: this.range.host, exclusive: true });
        await bound;
        socket.on('error', () => {});
      }
      return { sound, reports, port, close };
    } catch {
      for (const socket of sockets) socket.close();
      return undefined;
    }
  }
}

export interface Stream {
  readonly source: number;
  readonly sequence: number;
}

export interface Place {
  readonly address: string;
  readonly port: number;
}

/** Where the peer says that it is. */
interface DescribedPlace extends Place {
  /** As it wrote it, and not where its signalling comes from, since a NAT hides what it wrote. */
  readonly isAsWritten: boolean;
}

const probation = 3;
const silentMs = 1000;
/** How long a peer behind a NAT that has named another place may be silent before another stream counts as its. */
const movingMs = 3000;
/**
 * A hidden source that sent fewer packets than this, a second and a half of sound, and then nothing for three seconds may have been a
 * neighbour's, or the end of an earlier call at the same port.
 */
const provenPackets = 75;

/**
 * Decides which packets are the peer's, and where ours go. The described place is accepted at once, also in place of another that came
 * first, which may be a neighbour's. Behind a NAT the real port, and sometimes the address, differs: such a source must match the
 * address of the description or the signalling, send several consecutive packets, and replaces only a silent source whose stream it
 * continues: a NAT that chooses another port keeps the stream's identifier and numbers, and nobody else knows them. Some stray
 * packets that came first do not keep the peer from its call for good.
 */
export class SourceLatch {
  private latched: (Place & Stream & { lastMs: number; packets: number }) | undefined;
  /** The stream of a peer that sent from where it said that it is, so that no NAT hides it, and has named another place since. */
  private stream: Stream | undefined;
  /**
   * The source of a peer behind a NAT that has named another place since. Where that is, is hidden too: it may still be here, or have moved
   * with its stream, and gets its call back at once.
   */
  private hidden: (Place & Stream) | undefined;
  private movedByMs = Number.POSITIVE_INFINITY;
  /** It has named a place at another address than any that was heard of, which a NAT may hide. */
  private isElsewhere = false;
  private candidate: (Place & Stream & { count: number }) | undefined;
  /** The number of packets from other sources. */
  foreign = 0;

  constructor(
    private described: DescribedPlace,
    private readonly signalling: string,
    /** What came from where the peer said that it is before there was an agreement. */
    early?: Stream,
  ) {
    this.stream = early;
  }

  /** Where to send our packets. */
  get target(): Place {
    return this.latched ?? this.described;
  }

  /** Applies a new description. A latched source that keeps sending is kept. */
  describe(described: DescribedPlace, nowMs: number): void {
    if (described.address === this.described.address && described.port === this.described.port) return;
    const { latched, described: before } = this;
    const wasHidden = latched && !(before.isAsWritten && isSame(latched, before));
    if (latched && !wasHidden) this.stream = latched;
    this.hidden = wasHidden ? latched : undefined;
    // Any other address may be true, so ours go there until a packet comes from where the peer was.
    const staysHidden = !described.isAsWritten || [latched?.address, before.address].includes(described.address);
    this.latched = wasHidden && staysHidden ? latched : undefined;
    this.isElsewhere = ![latched?.address, this.signalling].includes(described.address);
    this.movedByMs = nowMs + movingMs;
    this.described = described;
    this.candidate = undefined;
  }

  admits(packet: RtpPacket, from: RemoteInfo, nowMs: number): boolean {
    const { latched, hidden, described } = this;
    const { source, sequence } = packet;
    if (latched && isSame(latched, from)) {
      Object.assign(latched, { lastMs: nowMs, source, sequence, packets: latched.packets + 1 });
      return true;
    }
    const isDescribed = isSame(described, from) && (described.isAsWritten || !latched);
    const isKnown = from.address === described.address || from.address === this.signalling;
    const isBack = hidden !== undefined && isKnown && (isSame(hidden, from) || goesOn(hidden, packet));
    const isVacant = !latched || nowMs - latched.lastMs > silentMs || isBack || (isDescribed && described.isAsWritten);
    const stream = latched ?? this.stream ?? hidden;
    const mayBeNew = nowMs >= this.movedByMs && (stream === hidden || (!latched && this.isElsewhere));
    const isTheSame = stream !== undefined && goesOn(stream, packet);
    const continues = !stream || mayBeNew || isTheSame || this.wasStray(nowMs);
    if (!isVacant || !(isDescribed || isBack || (isKnown && continues && this.proves(packet, from)))) {
      this.foreign += 1;
      return false;
    }
    const packets = latched && isTheSame ? latched.packets + 1 : probation;
    this.latched = { address: from.address, port: from.port, lastMs: nowMs, source, sequence, packets };
    this.candidate = undefined;
    return true;
  }

  private wasStray(nowMs: number): boolean {
    const { latched, described } = this;
    if (!latched || latched.packets >= provenPackets || nowMs - latched.lastMs < movingMs) return false;
    return !(described.isAsWritten && isSame(latched, described));
  }

  private proves({ source, sequence }: RtpPacket, from: RemoteInfo): boolean {
    const { candidate } = this;
    const isNext =
      candidate && isSame(candidate, from) && candidate.source === source && sequenceDistance(candidate.sequence, sequence) === 1;
    const count = isNext ? candidate.count + 1 : 1;
    this.candidate = { address: from.address, port: from.port, source, sequence, count };
    return count >= probation;
  }
}

function goesOn(stream: Stream, { source, sequence }: RtpPacket): boolean {
  return source === stream.source && sequenceDistance(stream.sequence, sequence) > 0;
}

function isSame(one: Place, other: Place): boolean {
  return one.address === other.address && one.port === other.port;
}
