import { once } from 'node:events';
import { ServerFrame } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { type ClientOptions, WebSocket } from 'ws';

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

/** A WebSocket client for tests: keeps everything received, in order. A frame outside the contract fails the test. */
export class SocketClient {
  readonly frames: ServerFrame[] = [];
  readonly sounds: Buffer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private read = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.sounds.push(data as Buffer);
      else this.frames.push(ServerFrame.parse(JSON.parse(String(data))));
    });
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  }

  /** Resolves once the socket is open. It always opens; a refused one then reports why it closes. */
  static async open(url: string, options: ClientOptions = {}): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url.replace(/^http/, 'ws'), options));
    await once(client.socket, 'open');
    return client;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  sound(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  /** The next frame of this type after the last one waited for. */
  async next<Type extends ServerFrame['type']>(type: Type): Promise<FrameOf<Type>> {
    let index = -1;
    const what = () => `a ${type} frame after ${JSON.stringify(this.frames.slice(-4))}`;
    const isThere = () => {
      index = this.frames.findIndex((frame, at) => at >= this.read && frame.type === type);
      if (index < 0 && this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed without ${what()}`);
      return index >= 0;
    };
    await eventually(what, isThere);
    this.read = index + 1;
    return this.frames[index] as FrameOf<Type>;
  }

  /** Starts a session and waits until it is ready. */
  async start(more: object = {}): Promise<FrameOf<'session.ready'>> {
    this.send({ type: 'session.start', ...more });
    return this.next('session.ready');
  }

  /** How many frames of this type were received. */
  count(type: ServerFrame['type']): number {
    return this.frames.filter((frame) => frame.type === type).length;
  }

  close(): Promise<{ code: number; reason: string }> {
    this.socket.close();
    return this.closed;
  }
}
