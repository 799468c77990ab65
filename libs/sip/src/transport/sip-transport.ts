import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, isIP, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import { messageLimits } from '../message/sip-message';
import type { SipAdmission } from './admission';

export type SipProtocol = 'udp' | 'tcp';

/** The source or destination of a message. */
export const SipPeer = z
  .object({ protocol: z.enum(['udp', 'tcp']), address: z.string(), port: z.int().min(0).max(65_535) })
  .readonly();
export type SipPeer = z.output<typeof SipPeer>;

/** The network for the layers above. Sending never throws; losses are noticed by their timers. */
export interface SipTransport {
  send(bytes: Buffer, peer: SipPeer): void;
  /** The host and port in our Via and Contact headers. */
  readonly advertised: { readonly host: string; readonly port: number };
}

/** Where an endpoint listens, and what receives its messages. */
export interface TransportOptions {
  /** The address to bind; `0.0.0.0` for all. */
  readonly host: string;
  /** The port for UDP and TCP; 0 for a free one. */
  readonly port: number;
  /** The host that peers are told, if not `host`: the public address of a NAT. */
  readonly advertisedHost?: string;
  readonly admission: SipAdmission;
  readonly onMessage: (bytes: Buffer, from: SipPeer) => void;
}

const connectionsMax = 512;
const idleMs = 600_000;
/** How long an incoming connection may take to deliver its first complete message. */
const firstMessageMs = 32_000;
const connectMs = 5000;
const sendQueueBytesMax = 262_144;

/** A UDP socket, a TCP port, and the connections in both directions. */
export class SipSockets implements SipTransport {
  private readonly connections = new Map<string, Socket>();
  private isClosed = false;

  private constructor(
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
    private readonly options: TransportOptions,
    readonly advertised: { readonly host: string; readonly port: number },
  ) {
    udp.on('message', (bytes, from) => this.datagram(bytes, from));
    // If a host refuses a datagram, the socket emits an error; the timers above notice the missing response.
    udp.on('error', () => {});
    tcp.on('connection', (socket) => this.accept(socket));
    tcp.on('error', () => {});
  }

  static async open(options: TransportOptions): Promise<SipSockets> {
    const { host, port } = options;
    for (let attempt = 1; ; attempt++) {
      const udp = createSocket({ type: isIP(host) === 6 ? 'udp6' : 'udp4', recvBufferSize: 1_048_576 });
      const tcp = createServer({ noDelay: true, keepAlive: true });
      try {
        udp.bind(port, host);
        await once(udp, 'listening');
        const bound = udp.address().port;
        tcp.listen(bound, host);
        await once(tcp, 'listening');
        return new SipSockets(udp, tcp, options, { host: options.advertisedHost ?? host, port: bound });
      } catch (error) {
        udp.close();
        tcp.close();
        // A free UDP port may be in use for TCP, so another one is tried.
        if (port !== 0 || attempt === 5) throw error;
      }
    }
  }

  send(bytes: Buffer, peer: SipPeer): void {
    if (this.isClosed) return;
    if (peer.protocol === 'udp') {
      this.udp.send(bytes, peer.port, peer.address, () => {});
      return;
    }
    const socket = this.connections.get(keyOf(peer)) ?? this.dial(peer);
    if (!socket || socket.writableLength > sendQueueBytesMax) return;
    socket.write(bytes);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const socket of this.connections.values()) socket.destroy();
    const gone = Promise.all([once(this.udp, 'close'), once(this.tcp, 'close')]);
    this.udp.close();
    this.tcp.close();
    await gone;
  }

  private datagram(bytes: Buffer, from: RemoteInfo): void {
    // Two or four line-end bytes are a keep-alive.
    if (bytes.length < 5 || bytes.length > messageLimits.headBytes + messageLimits.bodyBytes) return;
    if (this.options.admission.takes(from.address)) {
      this.options.onMessage(bytes, { protocol: 'udp', address: from.address, port: from.port });
    }
  }

  private accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const open = [...this.connections.values()].map(({ remoteAddress = '' }) => remoteAddress);
    if (this.options.admission.connects(address, open))
      this.keep(socket, { protocol: 'tcp', address, port: socket.remotePort ?? 0 });
    else socket.destroy();
  }

  private dial(peer: SipPeer): Socket | undefined {
    if (this.connections.size >= connectionsMax) return undefined;
    const socket = connect({ host: peer.address, port: peer.port, noDelay: true, timeout: connectMs });
    socket.once('connect', () => socket.setTimeout(idleMs));
    this.keep(socket, peer);
    return socket;
  }

  private keep(socket: Socket, peer: SipPeer): void {
    const key = keyOf(peer);
    const cutter = new MessageCutter();
    this.connections.set(key, socket);
    if (!socket.connecting) socket.setTimeout(idleMs);
    const silent = socket.connecting ? undefined : setTimeout(() => socket.destroy(), firstMessageMs).unref();
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(silent);
      if (this.connections.get(key) === socket) this.connections.delete(key);
    });
    socket.on('data', (bytes) => {
      const messages = cutter.push(bytes);
      if (!messages) socket.destroy();
      if (messages?.length) clearTimeout(silent);
      for (const message of messages ?? []) if (this.options.admission.takes(peer.address)) this.options.onMessage(message, peer);
    });
  }
}

function keyOf({ address, port }: SipPeer): string {
  return `${address}|${port}`;
}

const contentLength = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*$/im;
const headEnd = '\r\n\r\n';
const nothing: Buffer = Buffer.alloc(0);

/**
 * Splits the bytes of a connection into messages. `undefined` means that framing is lost, so the connection has to be closed. However
 * small the packets are, each byte is copied and examined only a few times.
 */
export class MessageCutter {
  private held = nothing;
  private from = 0;
  private to = 0;
  /** How far the end of the head has been searched for. */
  private searched = 0;
  /** The length of the first message, once its head is complete. */
  private wanted: number | undefined;

  /** Returns the completed messages. Keep-alives are dropped, and the buffer is limited to the size of a message. */
  push(bytes: Buffer): Buffer[] | undefined {
    this.append(bytes);
    const messages: Buffer[] = [];
    for (;;) {
      this.skipKeepAlives();
      const length = this.wanted ?? this.lengthOfFirst();
      if (length === 'unknown') return messages;
      if (length === 'unreadable') return undefined;
      this.wanted = length;
      if (this.to - this.from < length) return messages;
      messages.push(this.held.subarray(this.from, this.from + length));
      this.from += length;
      this.searched = this.from;
      this.wanted = undefined;
    }
  }

  /** Appends to the buffer. Returned messages are views of it, so it is never overwritten, but replaced when full. */
  private append(bytes: Buffer): void {
    const length = this.to - this.from;
    if (length === 0) this.hold(bytes, bytes.length);
    else if (this.to + bytes.length > this.held.length) {
      const larger = Buffer.alloc(Math.max(2 * length, length + bytes.length));
      this.held.copy(larger, 0, this.from, this.to);
      bytes.copy(larger, length);
      this.hold(larger, length + bytes.length);
    } else this.to += bytes.copy(this.held, this.to);
  }

  private hold(buffer: Buffer, length: number): void {
    this.searched = Math.max(0, this.searched - this.from);
    this.held = buffer;
    this.from = 0;
    this.to = length;
  }

  private lengthOfFirst(): number | 'unknown' | 'unreadable' {
    const since = Math.max(this.from, this.searched - headEnd.length + 1);
    const end = this.held.subarray(0, this.to).indexOf(headEnd, since);
    this.searched = this.to;
    const headBytes = (end < 0 ? this.to : end) - this.from;
    if (headBytes > messageLimits.headBytes) return 'unreadable';
    if (end < 0) return 'unknown';
    const head = this.held.toString('latin1', this.from, end).replace(/\r\n[ \t]+/g, ' ');
    // Without a length, the start of the next message is unknown.
    const body = Number(contentLength.exec(head)?.[1] ?? Number.NaN);
    return body <= messageLimits.bodyBytes ? headBytes + headEnd.length + body : 'unreadable';
  }

  private skipKeepAlives(): void {
    if (this.wanted !== undefined) return;
    while (this.from < this.to && (this.held[this.from] === 0x0d || this.held[this.from] === 0x0a)) this.from += 1;
  }
}
