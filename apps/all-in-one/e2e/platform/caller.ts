import { bytesFromSamples, samplesFromBytes } from '@parley/audio';
import { type ClientFrame, ServerFrame } from '@parley/contracts';
import { eventually, paced } from '@parley/testing';
import { post } from './client';
import { demo } from './platform';

const frameSamples = 320;

type Told<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

interface Dialling {
  /** A conversation with the demo agent, or transcription only. */
  readonly door?: 'sts' | 'transcribe';
  readonly language?: 'english';
  /** An existing token; without one, a new session token is created. */
  readonly token?: string;
}

/** A client at a voice socket, at 16 kHz. Records frames and loudness. */
export class Caller {
  readonly told: ServerFrame[] = [];
  loudestSample = 0;
  readonly closed: Promise<number>;

  private constructor(private readonly socket: WebSocket) {
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.take(data));
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code), { once: true });
    });
  }

  /** Connects with a session token, as a browser does. */
  static async dial({ door = 'sts', language, token }: Dialling = {}): Promise<Caller> {
    const socket = new WebSocket(`${demo().baseUrl.replace('http', 'ws')}/ws/${door}?token=${token ?? (await newToken())}`);
    const caller = new Caller(socket);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    caller.say({ type: 'session.start', sampleRate: 16_000, encoding: 'pcm16', language });
    await caller.hears('session.ready');
    return caller;
  }

  say(frame: ClientFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Speaks into the microphone in real time. A pause is sent as silence. */
  async speak(samples: Int16Array): Promise<void> {
    async function* frames(): AsyncGenerator<Int16Array> {
      for (let at = 0; at < samples.length; at += frameSamples) yield samples.subarray(at, at + frameSamples);
    }
    for await (const frame of paced(frames())) this.socket.send(bytesFromSamples(frame.slice()));
  }

  /** Resolves with the frames of a type once this many arrived. */
  async hears<Type extends ServerFrame['type']>(type: Type, count = 1): Promise<Told<Type>[]> {
    await eventually(`${count} times ${type}`, () => this.all(type).length >= count);
    return this.all(type);
  }

  all<Type extends ServerFrame['type']>(type: Type): Told<Type>[] {
    return this.told.filter((frame): frame is Told<Type> => frame.type === type);
  }

  private take(data: unknown): void {
    if (typeof data === 'string') this.told.push(ServerFrame.parse(JSON.parse(data)));
    if (!(data instanceof ArrayBuffer)) return;
    for (const sample of samplesFromBytes(new Uint8Array(data)))
      this.loudestSample = Math.max(this.loudestSample, Math.abs(sample));
  }
}

async function newToken(): Promise<string> {
  const { body } = await post('/api/v1/external/session-token', {}, demo().agentKey);
  return body.data.token;
}
