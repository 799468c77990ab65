import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ClientFrame } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { Line } from '../../public/demo/line.js';

const sessionUUID = '0b8c3d52-0000-4000-8000-000000000001';

/** As in a browser, where an unhandled error is followed by the close and nothing else. */
class Socket extends WebSocket {
  constructor(address: string) {
    super(address);
    this.on('error', () => undefined);
  }
}

/** A server that accepts conversations like the platform, and checks every frame against the contract. */
class Agent {
  readonly sockets: WebSocket[] = [];
  readonly heard: ClientFrame[] = [];
  readonly sound: Buffer[] = [];
  isMute = false;
  private readonly server = new WebSocketServer({ port: 0, host: '127.0.0.1' });

  async open(): Promise<string> {
    await once(this.server, 'listening');
    this.server.on('connection', (socket) => {
      this.sockets.push(socket);
      socket.on('message', (data: Buffer, isBinary) => (isBinary ? this.sound.push(data) : this.take(socket, data)));
    });
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private take(socket: WebSocket, data: Buffer): void {
    const frame = ClientFrame.parse(JSON.parse(data.toString()));
    this.heard.push(frame);
    if (this.isMute) return;
    if (frame.type === 'ping') socket.send(JSON.stringify({ type: 'pong' }));
    if (frame.type === 'session.start') {
      socket.send(JSON.stringify({ type: 'session.ready', sessionUUID, sampleRate: 16_000, encoding: 'pcm16' }));
    }
  }

  get starts() {
    return this.heard.filter(({ type }) => type === 'session.start');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A clock that stands still until a test advances it. */
class Timers {
  waits: { ms: number; call: () => void }[] = [];
  beat: () => void = () => undefined;
  setTimeout = (call: () => void, ms: number) => this.waits.push({ ms, call });
  clearTimeout = () => undefined;
  setInterval = (call: () => void) => {
    this.beat = call;
  };
  clearInterval = () => {
    this.beat = () => undefined;
  };
}

let agent: Agent;
let url: string;
const lines: { end(): void }[] = [];

beforeEach(async () => {
  agent = new Agent();
  url = await agent.open();
});
afterEach(async () => {
  for (const line of lines.splice(0)) line.end();
  await agent.close();
});

function openLine() {
  const [timers, frames, closings, sounds] = [new Timers(), [] as { type: string }[], [] as number[], [] as ArrayBuffer[]];
  const heard = { retrying: 0 };
  const hear = {
    onFrame: (frame: { type: string }) => frames.push(frame),
    onSound: (bytes: ArrayBuffer) => sounds.push(bytes),
    onRetrying: () => (heard.retrying += 1),
    onClosed: (code: number) => closings.push(code),
  };
  const opening = { sampleRate: 16_000, encoding: 'pcm16', language: 'hindi' };
  const line = new Line({ url, opening, hear, Socket: Socket as never, timers: timers as never });
  lines.push(line);
  line.open();
  const isReady = (times = 1) =>
    eventually('the conversation is open', () => frames.filter(({ type }) => type === 'session.ready').length === times);
  return { line, timers, frames, closings, sounds, heard, isReady };
}

describe('the page’s connection', () => {
  it('opens a conversation, and then sends what was waiting', async () => {
    const { line, isReady } = openLine();
    expect(line.say({ type: 'text', text: 'Namaste' })).toBe(true);
    await isReady();
    await eventually('both frames', () => agent.heard.length === 2);
    expect(agent.heard).toEqual([
      { type: 'session.start', sampleRate: 16_000, encoding: 'pcm16', language: 'hindi' },
      { type: 'text', text: 'Namaste' },
    ]);
  });

  it('carries sound both ways, and drops sound from before the conversation is open', async () => {
    const { line, isReady, sounds } = openLine();
    expect(line.speak(new Int16Array(320))).toBe(false);
    await isReady();
    expect(line.speak(new Int16Array(320).fill(7))).toBe(true);
    agent.sockets[0]?.send(Buffer.from([1, 2, 3, 4]));
    await eventually('sound both ways', () => agent.sound.length === 1 && sounds.length === 1);
    expect([agent.sound[0]?.length, new Uint8Array(sounds[0] ?? new ArrayBuffer(0))]).toEqual([640, Uint8Array.of(1, 2, 3, 4)]);
  });

  it.each([
    ['the server restarts', 1012],
    ['the server is gone', 1011],
  ])('resumes the same conversation when %s', async (_why, code) => {
    const { timers, isReady, heard, closings } = openLine();
    await isReady();
    agent.sockets[0]?.close(code);
    await eventually('a wait', () => timers.waits.length === 1);
    timers.waits[0]?.call();
    await isReady(2);
    expect([heard.retrying, closings]).toEqual([1, []]);
    expect(agent.starts[1]).toMatchObject({ sessionUUID, language: 'hindi' });
  });

  it('notices a lost network by an unanswered ping', async () => {
    const { timers, isReady } = openLine();
    await isReady();
    agent.isMute = true;
    timers.beat();
    timers.beat();
    expect(timers.waits).toHaveLength(1);
    agent.isMute = false;
    timers.waits[0]?.call();
    await isReady(2);
  });

  it('waits longer between attempts, and gives up after six', async () => {
    const { timers, isReady, closings } = openLine();
    await isReady();
    await agent.close();
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await eventually('the next wait', () => timers.waits.length === attempt + 1);
      timers.waits[attempt]?.call();
    }
    await eventually('the close', () => closings.length > 0);
    expect(closings).toEqual([1006]);
    expect(timers.waits.map(({ ms }) => ms)).toEqual([400, 800, 1600, 3200, 6400, 8000]);
    agent = new Agent();
    await agent.open();
  });

  it.each([4401, 4403, 4408, 4409, 4429])('does not retry after %i', async (code) => {
    const { timers, isReady, closings } = openLine();
    await isReady();
    agent.sockets[0]?.close(code);
    await eventually('the close', () => closings.length > 0);
    expect(closings).toEqual([code]);
    expect(timers.waits).toEqual([]);
  });

  it('treats the end of the conversation as final, whatever closes the socket', async () => {
    const { timers, isReady, closings } = openLine();
    await isReady();
    agent.sockets[0]?.send(JSON.stringify({ type: 'session.ended', reason: 'agent' }));
    agent.sockets[0]?.close(1012);
    await eventually('the close', () => closings.length > 0);
    expect(closings).toEqual([1000]);
    expect(timers.waits).toEqual([]);
  });

  it('queues eight messages and refuses the ninth', () => {
    const { line } = openLine();
    const taken = Array.from({ length: 9 }, () => line.say({ type: 'text', text: 'Hello' }));
    expect(taken).toEqual([...Array(8).fill(true), false]);
  });

  it('closes cleanly', async () => {
    const { line, isReady, closings } = openLine();
    await isReady();
    line.end();
    await eventually('the goodbye', () => agent.heard.at(-1)?.type === 'session.end');
    expect(closings).toEqual([]);
  });
});
