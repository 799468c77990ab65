import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import {
  type CallEnd,
  type CallListener,
  type EndpointOptions,
  FrameClock,
  type ReceivedFrame,
  type InboundCall,
  type OutboundCall,
  SipEndpoint,
} from './index';

const loopback = '127.0.0.1';
let nextMediaPort = 20_000 + (process.pid % 400) * 100;

/** Opens an endpoint on a free loopback port. By default everybody is trusted. */
export async function openEndpoint(options: Partial<EndpointOptions> = {}): Promise<SipEndpoint> {
  return SipEndpoint.open({
    host: loopback,
    port: 0,
    media: mediaPorts(),
    admission: { trusted: [loopback] },
    incoming: (call) => void call.answer(),
    clock: new FrameClock(),
    ...options,
  });
}

/** A range of ports for one endpoint of this process; ports in use by other processes are skipped. */
function mediaPorts(pairs = 50): { host: string; from: number; to: number } {
  const from = nextMediaPort;
  nextMediaPort += pairs * 2;
  return { host: loopback, from, to: from + pairs * 2 - 1 };
}

/** Records the events of a call, which can be awaited. */
export class CallRecorder implements CallListener {
  readonly digits: string[] = [];
  readonly told: string[] = [];
  readonly heard: ReceivedFrame[] = [];
  end: CallEnd | undefined;
  private readonly waiting = new Map<string, () => void>();

  ringing = (): void => this.tell('ringing');
  answered = (): void => this.tell('answered');
  sound = (heard: ReceivedFrame): void => void (this.heard.push(heard), this.tell('sound'));
  digit = (key: string): void => void (this.digits.push(key), this.tell(`digit ${key}`));
  held = (isHeld: boolean): void => this.tell(isHeld ? 'held' : 'resumed');
  starved = (): void => this.tell('starved');
  transferred = (outcome: { kind: string }): void => this.tell(`transfer ${outcome.kind}`);
  marks = (names: readonly string[], wasCleared: boolean): void => {
    for (const name of names) this.tell(`${wasCleared ? 'cleared' : 'played'} ${name}`);
  };
  ended = (end: CallEnd): void => {
    this.end = end;
    this.tell('ended');
  };

  /** Resolves once the event has happened. */
  async saw(event: string): Promise<void> {
    if (this.told.includes(event)) return;
    await new Promise<void>((resolve) => this.waiting.set(event, resolve));
  }

  private tell(event: string): void {
    if (event !== 'sound' || !this.told.includes('sound')) this.told.push(event);
    this.waiting.get(event)?.();
  }
}

/** A call between two endpoints, both ends recorded. */
export async function callBetween(
  caller: SipEndpoint,
  calleePort: number,
  user = 'agent',
): Promise<{ call: OutboundCall; recorder: CallRecorder }> {
  const recorder = new CallRecorder();
  const to = { user, host: loopback, port: calleePort, parameters: new Map<string, string>() };
  const call = await caller.place({ to, from: { user: 'caller' }, ringMs: 10_000, listener: recorder });
  if (typeof call === 'string') throw new Error(`not placed: ${call}`);
  return { call, recorder };
}

/** Answers every call and records its events. */
export function answering(): {
  incoming: (call: InboundCall) => void;
  first: Promise<{ call: InboundCall; recorder: CallRecorder }>;
} {
  let found: (taken: { call: InboundCall; recorder: CallRecorder }) => void = () => {};
  const first = new Promise<{ call: InboundCall; recorder: CallRecorder }>((resolve) => {
    found = resolve;
  });
  const incoming = (call: InboundCall): void => {
    const recorder = new CallRecorder();
    call.listen(recorder);
    call.ring();
    call.answer();
    found({ call, recorder });
  };
  return { incoming, first };
}

/** A plain datagram socket, for sending what no proper peer sends. */
export class RawPeer {
  readonly received: string[] = [];
  private readonly socket = createSocket('udp4');
  private wake = (): void => {};

  static async open(host = loopback): Promise<RawPeer> {
    const peer = new RawPeer();
    peer.socket.bind(0, host);
    await once(peer.socket, 'listening');
    peer.socket.on('message', (bytes) => {
      peer.received.push(bytes.toString());
      peer.wake();
    });
    return peer;
  }

  get port(): number {
    return this.socket.address().port;
  }

  send(text: string | Buffer, port: number): void {
    this.socket.send(text, port, loopback);
  }

  /** The first message that matches, received already or next. */
  async answer(fits: RegExp): Promise<string> {
    for (;;) {
      const found = this.received.find((text) => fits.test(text));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.close();
  }
}
