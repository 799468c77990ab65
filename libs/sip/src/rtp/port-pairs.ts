import { createSocket, type RemoteInfo, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';

/** What we need of a datagram socket. */
export interface DatagramEnd {
  on(event: 'message', received: (bytes: Buffer, from: RemoteInfo) => void): unknown;
  send(bytes: Uint8Array, port: number, address: string, sent?: () => void): void;
}

/** Two neighbouring ports of one call: sound on the even one, reports on the odd one. */
export interface PortPair {
  readonly sound: DatagramEnd;
  readonly reports: DatagramEnd;
  readonly port: number;
  close(): void;
}

export interface PortRange {
  readonly host: string;
  /** Both belong to it; a call takes two. */
  readonly from: number;
  readonly to: number;
}

// Peers are addresses, never names: nothing is looked up, and nothing waits for it.
const asWritten: NonNullable<SocketOptions['lookup']> = (host, _options, found) => found(null, host, 4);

/** Gives out the ports of a range in turn, so that a port that was just let go is not at once another call's. */
export class PortPairs {
  private readonly free: number[] = [];

  constructor(private readonly range: PortRange) {
    const first = range.from + (range.from % 2);
    for (let port = first; port < range.to; port += 2) this.free.push(port);
    if (this.free.length === 0) throw new RangeError('the range of media ports holds no pair of ports');
  }

  /** How many calls may still begin. */
  get left(): number {
    return this.free.length;
  }

  /** The next pair that can be bound; nothing when all are in use. What another program holds is left for later. */
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
        // Asked for beforehand: with nothing to look up a socket is bound at once.
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
