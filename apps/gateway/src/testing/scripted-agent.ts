import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesFromSamples, loudnessOf, samplesFromBytes } from '@parley/audio';
import { ClientFrame, type ServerFrame } from '@parley/contracts';
import { paced } from '@parley/testing';
import { type WebSocket, WebSocketServer } from 'ws';

const sessionUUID = '0b8c3d52-0000-4000-8000-000000000001';
const [frameSamples, loudFrom, quietFrames] = [320, 0.02, 30];
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const latency = {
  endOfTurnMs: 600,
  transcriptionMs: 120,
  retrievalMs: 30,
  firstTokenMs: 350,
  firstAudioMs: 80,
  pacingMs: 20,
  totalMs: 1200,
};

/**
 * A question, the words of the answer sentence by sentence, and the sound of the first answer, the second and so on; further
 * answers sound like the last.
 */
interface Script {
  readonly question: string;
  readonly words: readonly string[];
  readonly sounds: readonly Int16Array[];
}

/**
 * An agent at `/ws/widgetchat` that follows the contract's frames and reacts to loudness instead of words, in front of a gateway
 * that serves everything else.
 */
export class ScriptedAgent {
  readonly heard: ClientFrame[] = [];
  readonly microphone: Int16Array[] = [];
  readonly origins: string[] = [];
  readonly interruptions: { playedMs: number }[] = [];
  private readonly http = createServer((request, response) => void this.pass(request, response));
  private readonly sockets = new Set<WebSocket>();
  private answering = new AbortController();
  private isAnswering = false;
  /** Whether sound of an answer is being sent, even after an interruption. */
  isSending = false;
  private playedMs = 0;
  private turns = 0;

  constructor(
    private readonly script: Script,
    private readonly gatewayUrl: string,
  ) {}

  async open(): Promise<string> {
    const server = new WebSocketServer({ server: this.http, path: '/ws/widgetchat' });
    server.on('connection', (socket, request) => {
      this.origins.push(`${request.headers.origin} ${request.url}`);
      this.sockets.add(socket);
      const caller = new Loudness();
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('message', (data: Buffer, isBinary) => (isBinary ? this.listen(socket, caller, data) : this.take(socket, data)));
    });
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  /** Closes every socket with a code. */
  drop(code: number): void {
    for (const socket of this.sockets) socket.close(code);
  }

  fail(frame: ServerFrame): void {
    for (const socket of this.sockets) socket.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.answering.abort();
    for (const socket of this.sockets) socket.terminate();
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, 'close');
  }

  private async pass({ url }: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await fetch(`${this.gatewayUrl}${url}`);
    const names = ['content-type', 'content-security-policy'];
    const headers = names.flatMap((name) => (reply.headers.has(name) ? [[name, reply.headers.get(name) ?? ''] as const] : []));
    response.writeHead(reply.status, Object.fromEntries(headers)).end(Buffer.from(await reply.arrayBuffer()));
  }

  private take(socket: WebSocket, data: Buffer): void {
    const frame = ClientFrame.parse(JSON.parse(data.toString()));
    this.heard.push(frame);
    const tell = (answer: ServerFrame) => socket.send(JSON.stringify(answer));
    if (frame.type === 'session.start') tell({ type: 'session.ready', sessionUUID, sampleRate: 16_000, encoding: 'pcm16' });
    if (frame.type === 'ping') tell({ type: 'pong' });
    if (frame.type === 'playback') this.playedMs = frame.playedMs;
    if (frame.type === 'interrupt') this.interrupt(socket);
    if (frame.type === 'text') void this.answer(socket);
  }

  private listen(socket: WebSocket, caller: Loudness, data: Buffer): void {
    const samples = samplesFromBytes(data);
    this.microphone.push(samples.slice());
    const change = caller.hear(samples);
    const tell = (frame: ServerFrame) => socket.send(JSON.stringify(frame));
    if (change === 'started') {
      tell({ type: 'speech.started', atMs: 0 });
      tell({ type: 'transcript.partial', text: this.script.question.slice(0, 8), atMs: 0 });
      this.interrupt(socket);
    }
    if (change !== 'ended') return;
    tell({ type: 'speech.ended', atMs: 0 });
    tell({ type: 'transcript.final', text: this.script.question, atMs: 0 });
    void this.answer(socket);
  }

  private async answer(socket: WebSocket): Promise<void> {
    const tell = (frame: ServerFrame) => socket.send(JSON.stringify(frame));
    this.answering.abort();
    this.turns += 1;
    const turnUUID = `0b8c3d52-0000-4000-9000-00000000000${this.turns}`;
    this.answering = new AbortController();
    const { signal } = this.answering;
    this.isAnswering = true;
    this.isSending = true;
    this.playedMs = 0;
    for (const text of this.script.words) tell({ type: 'agent.delta', text });
    tell({ type: 'agent.audio.start', turnUUID, sampleRate: 16_000 });
    try {
      for await (const frame of paced(this.frames(), { signal })) socket.send(bytesFromSamples(frame));
    } catch {
      return;
    }
    this.isSending = false;
    if (!this.isAnswering) return;
    tell({ type: 'agent.done', turnUUID, text: this.script.words.join(''), usage, latency });
    this.isAnswering = false;
  }

  /** Continues to send sound, like frames in transit: after an interruption the client must not play it. */
  private interrupt(socket: WebSocket): void {
    if (!this.isAnswering) return;
    this.isAnswering = false;
    const { playedMs } = this;
    this.interruptions.push({ playedMs });
    socket.send(
      JSON.stringify({ type: 'agent.interrupted', heardText: this.script.words[0] ?? '', playedMs } satisfies ServerFrame),
    );
  }

  private get sound(): Int16Array {
    const { sounds } = this.script;
    return sounds[Math.min(this.turns, sounds.length) - 1] ?? new Int16Array(0);
  }

  private async *frames(): AsyncGenerator<Int16Array> {
    const { sound } = this;
    for (let at = 0; at < sound.length; at += frameSamples) yield sound.slice(at, at + frameSamples);
  }
}

/** Detects speech by loudness. */
class Loudness {
  private quiet = quietFrames;

  hear(frame: Int16Array): 'started' | 'ended' | undefined {
    if (loudnessOf(frame) > loudFrom) {
      const hasStarted = this.quiet >= quietFrames;
      this.quiet = 0;
      return hasStarted ? 'started' : undefined;
    }
    this.quiet += 1;
    return this.quiet === quietFrames ? 'ended' : undefined;
  }
}
