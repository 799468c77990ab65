import type { AddressHandover } from '@parley/ports';
import { SipPeer, SipSockets, type SipTransport, type TransportOptions } from './sip-transport';

/** An endpoint's access to the network: its own sockets or, while another replica still has them, that replica. */
export class RelayableTransport implements SipTransport {
  private sockets: SipSockets | undefined;
  private handover: AddressHandover | undefined;
  private isClosed = false;

  private constructor(
    private readonly options: TransportOptions,
    readonly advertised: { readonly host: string; readonly port: number },
  ) {}

  static async open(options: TransportOptions, handover?: AddressHandover): Promise<RelayableTransport> {
    const { host, port, advertisedHost = host } = options;
    if (handover) return new RelayableTransport(options, { host: advertisedHost, port }).through(handover);
    const sockets = await SipSockets.open(options);
    const way = new RelayableTransport(options, sockets.advertised);
    way.sockets = sockets;
    return way;
  }

  /** Whether another replica has the sockets. */
  get isBorrowed(): boolean {
    return this.sockets === undefined;
  }

  send(bytes: Buffer, peer: SipPeer): void {
    if (this.sockets) this.sockets.send(bytes, peer);
    else if (!this.isClosed) this.handover?.send(formatRelayed(bytes, peer));
  }

  through(handover: AddressHandover): this {
    this.handover = handover;
    return this;
  }

  /** Opens our own sockets, after another replica has closed them. */
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

/** Formats a message for another replica, preceded by a line with its source or destination. */
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
