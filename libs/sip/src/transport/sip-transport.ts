import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { BlockList, connect, createServer, isIP, type Server, type Socket } from 'node:net';
import type { AddressRelay } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { messageLimits } from '../message/sip-message';

export type SipProtocol = 'udp' | 'tcp';

/** The source or destination of a message. */
export const SipPeer = z
  .object({ protocol: z.enum(['udp', 'tcp']), address: z.string(), port: z.int().min(0).max(65_535) })
  .readonly();
export type SipPeer = z.output<typeof SipPeer>;

/** The network as the layers above use it. Sending never throws: losses show in their timers. */
export interface SipTransport {
  send(bytes: Buffer, peer: SipPeer): void;
  /** Host and port that peers find us at, as Via and Contact name them. */
  readonly advertised: { readonly host: string; readonly port: number };
}

interface TransportOptions {
  /** The address to bind; all of them with `0.0.0.0`. */
  readonly host: string;
  /** One port for UDP and TCP; 0 takes a free one. */
  readonly port: number;
  /** The host given to peers when it is not `host`: the public address in front of a NAT. */
  readonly advertisedHost?: string;
  readonly admission: SipAdmission;
  readonly onMessage: (bytes: Buffer, from: SipPeer) => void;
}

const connectionsMax = 512;
const connectionsPerSource = 16;
const idleMs = 600_000;
const connectMs = 5000;
const sendQueueBytesMax = 262_144;

/** One UDP socket and one TCP port, and the connections of both directions. */
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
    // A datagram that a host refused comes back as an error of the socket; the timers above notice the silence.
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
        // A free port of UDP may be taken in TCP: another one then.
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
    // Two line ends or four are a keep-alive.
    if (bytes.length < 5 || bytes.length > messageLimits.headBytes + messageLimits.bodyBytes) return;
    if (this.options.admission.takes(from.address)) {
      this.options.onMessage(bytes, { protocol: 'udp', address: from.address, port: from.port });
    }
  }

  private accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const ofSource = [...this.connections.values()].filter((open) => open.remoteAddress === address).length;
    const limit = this.options.admission.isTrusted(address) ? connectionsMax : connectionsPerSource;
    if (this.connections.size >= connectionsMax || ofSource >= limit) socket.destroy();
    else this.keep(socket, { protocol: 'tcp', address, port: socket.remotePort ?? 0 });
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
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.connections.get(key) === socket) this.connections.delete(key);
    });
    socket.on('data', (bytes) => {
      const messages = cutter.push(bytes);
      if (!messages) socket.destroy();
      for (const message of messages ?? []) if (this.options.admission.takes(peer.address)) this.options.onMessage(message, peer);
    });
  }
}

function keyOf({ address, port }: SipPeer): string {
  return `${address}|${port}`;
}

/** How an endpoint reaches the network: by sockets of its own or, while another replica still has them, through that one. */
export class RelayableTransport implements SipTransport {
  private sockets: SipSockets | undefined;
  private relay: AddressRelay | undefined;
  private isClosed = false;

  private constructor(
    private readonly options: TransportOptions,
    readonly advertised: { readonly host: string; readonly port: number },
  ) {}

  static async open(options: TransportOptions, relay?: AddressRelay): Promise<RelayableTransport> {
    const { host, port, advertisedHost = host } = options;
    if (relay) return new RelayableTransport(options, { host: advertisedHost, port }).through(relay);
    const sockets = await SipSockets.open(options);
    const way = new RelayableTransport(options, sockets.advertised);
    way.sockets = sockets;
    return way;
  }

  /** Whether the sockets are another replica's. */
  get isBorrowed(): boolean {
    return this.sockets === undefined;
  }

  send(bytes: Buffer, peer: SipPeer): void {
    if (this.sockets) this.sockets.send(bytes, peer);
    else if (!this.isClosed) this.relay?.send(formatRelayed(bytes, peer));
  }

  through(relay: AddressRelay): this {
    this.relay = relay;
    return this;
  }

  /** Opens the sockets that another replica has closed. */
  async takeOver(): Promise<void> {
    if (this.sockets || this.isClosed) return;
    const sockets = await SipSockets.open(this.options);
    this.sockets = sockets;
    if (this.isClosed) await sockets.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.sockets?.close();
  }
}

/** A message on its way between two replicas, behind a line that says where it came from or goes to. */
export function formatRelayed(bytes: Buffer, { protocol, address, port }: SipPeer): Buffer {
  return Buffer.concat([Buffer.from(`${protocol} ${address} ${port}\n`), bytes]);
}

export function parseRelayed(frame: Uint8Array): { bytes: Buffer; peer: SipPeer } | undefined {
  const end = frame.indexOf(0x0a);
  const [protocol, address, port] = Buffer.from(frame.subarray(0, Math.max(0, end)))
    .toString()
    .split(' ');
  const peer = SipPeer.safeParse({ protocol, address, port: Number(port) }).data;
  return peer && { bytes: Buffer.from(frame.subarray(end + 1)), peer };
}

export interface AdmissionOptions {
  /** Addresses and ranges (`10.0.0.0/8`) of our own PBX and trunks: a higher rate, and calls need no password. */
  readonly trusted?: readonly string[];
  readonly messagesPerSecond?: number;
  readonly trustedMessagesPerSecond?: number;
}

const sourcesMax = 10_000;
const scanners = /friendly-?scanner|sipvicious|sundayddr|sip-?scan|sipcli|pplsip|vaxsip|iwar|smap|sipsak|eyebeam release 3\.0/i;

/**
 * Decides whose messages are read at all. Senders over the rate, and scanners, get no response, which would reveal that we exist.
 */
export class SipAdmission {
  private readonly trusted = new BlockList();
  private readonly buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: sourcesMax });
  private readonly answering = new LRUCache<string, true>({ max: sourcesMax });
  private readonly perSecond: number;
  private readonly trustedPerSecond: number;

  constructor(options: AdmissionOptions = {}) {
    for (const source of options.trusted ?? []) trust(this.trusted, source);
    this.perSecond = options.messagesPerSecond ?? 20;
    this.trustedPerSecond = options.trustedMessagesPerSecond ?? 2000;
  }

  isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }

  /** We write to this address ourselves: its answers come at the higher rate. Calls from there still need a password. */
  contacted(address: string): void {
    this.answering.set(address, true);
  }

  /** Counts a message of this source; each may send two seconds' worth at once. */
  takes(address: string, nowMs = performance.now()): boolean {
    const rate = this.isTrusted(address) || this.answering.has(address) ? this.trustedPerSecond : this.perSecond;
    const bucket = this.buckets.get(address) ?? { tokens: rate * 2, atMs: nowMs };
    this.buckets.set(address, bucket);
    bucket.tokens = Math.min(rate * 2, bucket.tokens + ((nowMs - bucket.atMs) * rate) / 1000);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

/** Whether a message names a program that looks for PBXs to defraud. */
export function isScanner(userAgent: string | undefined): boolean {
  return userAgent !== undefined && scanners.test(userAgent);
}

function trust(list: BlockList, source: string): void {
  const [address = '', prefix] = source.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix);
  if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) {
    throw new RangeError(`${source} is neither an address nor a range such as 10.0.0.0/8`);
  }
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}

const contentLength = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*$/im;

/** Cuts the bytes of a connection into messages. `undefined` says that nothing sensible can follow: close the connection. */
export class MessageCutter {
  private rest: Buffer = Buffer.alloc(0);

  /** Keep-alives are dropped; the buffer never exceeds one message and its limit. */
  push(bytes: Buffer): Buffer[] | undefined {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const messages: Buffer[] = [];
    for (;;) {
      this.skipKeepAlives();
      const end = this.rest.indexOf('\r\n\r\n');
      if (end < 0) return this.rest.length > messageLimits.headBytes ? undefined : messages;
      const length = this.lengthWithBody(end);
      if (length === undefined) return undefined;
      if (this.rest.length < length) return messages;
      messages.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
  }

  private lengthWithBody(end: number): number | undefined {
    if (end > messageLimits.headBytes) return undefined;
    const head = this.rest.toString('latin1', 0, end).replace(/\r\n[ \t]+/g, ' ');
    // Without a length the start of the next message is unknown.
    const body = Number(contentLength.exec(head)?.[1] ?? Number.NaN);
    return body <= messageLimits.bodyBytes ? end + 4 + body : undefined;
  }

  private skipKeepAlives(): void {
    let at = 0;
    while (this.rest[at] === 0x0d || this.rest[at] === 0x0a) at++;
    if (at > 0) this.rest = this.rest.subarray(at);
  }
}
