import { randomUUID } from 'node:crypto';
import { isEndState } from '@parley/ports';
import { LoopbackNetwork } from '@parley/providers/loopback';
import { eventually } from '@parley/testing';
import { realClock } from '@parley/voice-session';
import { WebSocket } from 'ws';
import type { PlannedTurn } from './planned-model';

/** Where an agent is reached. */
export interface AgentDoors {
  readonly url: string;
  readonly key: string;
  readonly number: string;
  /** Of the carrier account that has the number. */
  readonly secret: string;
  readonly webhooks: { readonly answer: string; readonly status: string };
}

/** Someone in a session with an agent. */
interface Caller {
  /** Resolves when the session is over. */
  readonly closed: Promise<unknown>;
  ask(): void;
  /** Resolves with the next sound. */
  heard(): Promise<unknown>;
  interrupt(): void;
  hangUp(): void;
  /** The connection is lost. */
  cut(): void;
}

/** A caller who asks once and follows a plan. Resolves when the session is over for that caller. */
export async function callAsPlanned(at: AgentDoors, turn: PlannedTurn): Promise<void> {
  const { plan, reached, left } = turn;
  const caller = await (plan.way === 'socket' ? socketCaller(at, turn) : telephoneCaller(at));
  caller.ask();
  const isThere = async (): Promise<unknown> => {
    await reached.promise;
    if (plan.end === 'interrupted') caller.interrupt();
    if (plan.end === 'complete' || plan.end === 'heard') return caller.heard();
    return plan.end === 'generated' || plan.end === 'cut' ? undefined : left.promise;
  };
  // At the end of a balance the session ends instead.
  await Promise.race([isThere(), caller.closed]);
  if (plan.end === 'cut') caller.cut();
  else caller.hangUp();
  await caller.closed;
}

async function socketCaller({ url, key }: AgentDoors, { plan }: PlannedTurn): Promise<Caller> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/sts`, { headers: { 'x-api-key': key } });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const say = (frame: object) => socket.send(JSON.stringify(frame));
  socket.once('open', () => say({ type: 'session.start', sampleRate: 16_000, encoding: 'pcm16' }));
  const ready = new Promise<void>((resolve) => {
    socket.on('message', (data, isSound) => {
      if (!isSound && String(data).includes('"session.ready"')) resolve();
    });
  });
  await Promise.race([ready, closed]);
  const ifOpen = (does: () => void) => () => void (socket.readyState === WebSocket.OPEN && does());
  return {
    closed,
    ask: ifOpen(() => say({ type: 'text', text: 'Tell me everything.' })),
    heard: () => new Promise<void>((resolve) => socket.on('message', (_, isSound) => isSound && resolve())),
    interrupt: ifOpen(() => say({ type: 'interrupt' })),
    hangUp: ifOpen(() => (plan.end === 'heard' ? socket.close() : say({ type: 'session.end' }))),
    cut: () => socket.terminate(),
  };
}

const from = '+12025550123';
const order = { ringSeconds: 30, secondsMax: 3_600, detectMachine: false, from };
const loudMin = 500;

/** A telephone in the simulated network. A key is a question, and interrupts. */
async function telephoneCaller({ number: to, secret, webhooks }: AgentDoors): Promise<Caller> {
  let media: WebSocket | undefined;
  const connect: NonNullable<ConstructorParameters<typeof LoopbackNetwork>[0]['connect']> = async (url, { message, closed }) => {
    const socket = new WebSocket(url);
    media = socket;
    socket.on('message', (data: Buffer, isBinary) => message(isBinary ? data : String(data)));
    socket.on('error', () => undefined);
    socket.once('close', closed);
    await new Promise((resolve) => socket.once('open', resolve));
    const isOpen = (): boolean => socket.readyState === WebSocket.OPEN;
    return { send: (data) => isOpen() && socket.send(data), close: () => socket.close() };
  };
  const network = new LoopbackNetwork({ clock: realClock, connect });
  const { answer: answerUrl, status: statusUrl } = webhooks;
  const callId = await network.call({ ...order, to, secret, reference: randomUUID(), answerUrl, statusUrl });
  const handset = network.handsetOf(callId);
  const isOver = (): boolean => isEndState(network.find({ callId })?.state ?? 'failed');
  const sounds = Promise.withResolvers<void>();
  return {
    closed: eventually('the call is over', isOver).then(() => network.close()),
    ask: () => handset?.press('1'),
    heard: () => {
      if (handset) handset.onHeard = (frame) => frame.some((sample) => Math.abs(sample) > loudMin) && sounds.resolve();
      return sounds.promise;
    },
    interrupt: () => handset?.press('2'),
    hangUp: () => handset?.hangUp(),
    cut: () => media?.terminate(),
  };
}
