import { once } from 'node:events';
import { ServerFrame } from '@parley/contracts';
import { WebSocket } from 'ws';

const headBytes = 12;
const soundBytes = 640;

/** The totals over all callers of a soak. */
export interface Seen {
  sent: number;
  echoed: number;
  /** Sound that came back in another order than it was sent, or twice. */
  outOfOrder: number;
  /** Sound that an undisturbed caller sent and never received back. */
  lost: number;
  moves: number;
  reconnects: number;
  closes: Record<string, number>;
  readonly echoMs: number[];
}

/** The totals before the first caller. */
export function nothingSeen(): Seen {
  return { sent: 0, echoed: 0, outOfOrder: 0, lost: 0, moves: 0, reconnects: 0, closes: {}, echoMs: [] };
}

const echoesKept = 100_000;

/** A caller who numbers every piece of sound and checks what comes back. */
export class SoakCaller {
  private socket: WebSocket | undefined;
  private sessionUUID: string | undefined;
  private isReady = false;
  private next = 1;
  private last = 0;
  private goal: number | undefined;
  /** A dropped connection or a moved session may lose sound; from the next piece received on, none may be lost. */
  private isDisturbed = true;

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly seen: Seen,
  ) {}

  /** Resolves when the session, new or resumed, is ready. */
  async connect(): Promise<void> {
    const socket = new WebSocket(this.url, { headers: { 'x-api-key': this.key } });
    this.socket = socket;
    this.isDisturbed = true;
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      this.isReady = false;
      this.seen.closes[code] = (this.seen.closes[code] ?? 0) + 1;
    });
    await once(socket, 'open');
    const ready = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) this.hear(data);
        else this.handle(ServerFrame.parse(JSON.parse(String(data))), resolve);
      });
    });
    const sessionUUID = this.sessionUUID && { sessionUUID: this.sessionUUID };
    socket.send(JSON.stringify({ type: 'session.start', ...sessionUUID }));
    await Promise.race([ready, once(socket, 'close')]);
  }

  speak(): void {
    if (!this.isReady) return;
    const sound = Buffer.alloc(soundBytes);
    sound.writeUInt32LE(this.next, 0);
    sound.writeDoubleLE(performance.now(), 4);
    this.next += 1;
    this.seen.sent += 1;
    this.socket?.send(sound);
  }

  /** Simulates a network that silently fails; the conversation is resumed. */
  async drop(): Promise<void> {
    this.isReady = false;
    this.socket?.terminate();
    this.seen.reconnects += 1;
    await this.connect();
  }

  /** Stops reading for a while. */
  pauseReading(ms: number): void {
    const { socket } = this;
    socket?.pause();
    setTimeout(() => socket?.resume(), ms);
  }

  async leave(): Promise<void> {
    const { socket } = this;
    if (!socket || socket.readyState === socket.CLOSED) return;
    const gone = once(socket, 'close');
    socket.close();
    await gone;
  }

  /**
   * Sends further pieces until one of them comes back: everything before it has then arrived, or never will. A single piece is
   * not enough, since a dropping connection may lose it.
   */
  hasHeardAll(): boolean {
    this.goal ??= this.next;
    if (this.last >= this.goal) return true;
    this.speak();
    return false;
  }

  private handle(frame: ServerFrame, ready: () => void): void {
    if (frame.type === 'warning' && frame.code === 'SESSION_MOVED') {
      this.seen.moves += 1;
      this.isDisturbed = true;
    }
    if (frame.type !== 'session.ready') return;
    this.sessionUUID = frame.sessionUUID;
    this.isReady = true;
    ready();
  }

  private hear(sound: Buffer): void {
    if (sound.length < headBytes) return;
    const number = sound.readUInt32LE(0);
    if (number <= this.last) this.seen.outOfOrder += 1;
    else if (!this.isDisturbed) this.seen.lost += number - this.last - 1;
    this.isDisturbed = false;
    this.last = Math.max(this.last, number);
    this.seen.echoed += 1;
    if (this.seen.echoMs.length < echoesKept) this.seen.echoMs.push(performance.now() - sound.readDoubleLE(4));
  }
}
