import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The faults of a link: slow, cut, silent, or closing early as if complete. */
export const linkFaults = ['latency', 'reset', 'black hole', 'slow close'] as const;
type LinkFault = (typeof linkFaults)[number];

const latencyMs = 100;

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** A TCP proxy between two parts of the platform, controlled by a test. */
export class FaultyLink {
  private readonly pairs = new Set<Pair>();
  private fault: LinkFault | undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (near) => this.join(near));
  }

  /** Opens a link to the server of a URL. */
  static async to(url: string): Promise<FaultyLink> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new FaultyLink(server, new URL(url));
  }

  /** The same URL through this link. */
  get url(): string {
    const through = new URL(this.target);
    through.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return through.href;
  }

  /** Gives the link a fault, for open and new connections. */
  suffer(fault: LinkFault): void {
    this.fault = fault;
    for (const { near } of this.pairs) this.strike(near);
  }

  /** The link works again. Data swallowed meanwhile is lost, so silent connections are cut. */
  heal(): void {
    this.fault = undefined;
    for (const { near } of this.pairs) cut(near);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    // A connection that has just arrived would keep the server open forever.
    this.suffer('reset');
    await closed;
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const pair = { near, far };
    this.pairs.add(pair);
    near.setNoDelay();
    far.setNoDelay();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // The close event is enough to notice the end of a connection.
      from.on('error', () => undefined);
      from.on('data', (bytes) => void this.carry(bytes, to));
      from.on('end', () => to.end());
      from.on('close', () => to.destroy());
    }
    near.on('close', () => this.pairs.delete(pair));
    this.strike(near);
  }

  private strike(near: Socket): void {
    if (this.fault === 'reset') cut(near);
    if (this.fault === 'slow close') near.end();
  }

  private async carry(bytes: Buffer, to: Socket): Promise<void> {
    if (this.fault === 'black hole' || this.fault === 'slow close') return;
    if (this.fault === 'latency') await delay(latencyMs);
    if (to.writable) to.write(bytes);
  }
}

/** Destroys a socket. libuv does not reset a connection that is being ended; its handle would stay open and keep Node from exiting. */
function cut(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
