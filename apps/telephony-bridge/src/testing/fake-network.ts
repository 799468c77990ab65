import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnswerPlan, CallNotice, CarrierCallState, PlaceRequest, TransferRequest } from '@parley/ports';
import { WebSocket } from 'ws';
import { fakeSignature } from './fake-carrier';

interface NetworkCall {
  callId: string;
  state: CarrierCallState;
  reference?: string;
}

/** The network behind the fake carrier, controlled by the test: calls, their outcomes and notices about them. */
export class FakeNetwork {
  readonly secret = 'fake-secret';
  readonly calls = new Map<string, NetworkCall>();
  readonly placed: PlaceRequest[] = [];
  readonly ended: string[] = [];
  readonly transfers: TransferRequest[] = [];
  readonly digits: string[] = [];
  /** The outcome of a call that is placed. By default it rings. */
  onPlace: (request: PlaceRequest, call: NetworkCall) => void = () => undefined;
  /** Awaited before the platform learns that a call was placed. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** Numbers that may not be called from. */
  readonly refusedCallers = new Set<string>();
  /** How many of the next requests are answered with 503. */
  failures = 0;
  /** How many of the next calls are placed although the request gets no response. */
  losesAnswers = 0;
  private sequence = 0;

  private constructor(
    private readonly server: Server,
    readonly api: string,
  ) {
    server.on('request', (request, reply) => {
      void this.answer(request).then(({ status, body }) => reply.writeHead(status).end(JSON.stringify(body ?? {})));
    });
  }

  static async start(): Promise<FakeNetwork> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new FakeNetwork(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** A call that the network knows. */
  newCall(state: CarrierCallState = 'ringing', reference?: string): NetworkCall {
    const call = { callId: `fake-${(this.sequence += 1)}`, state, ...(reference && { reference }) };
    this.calls.set(call.callId, call);
    return call;
  }

  /** Sends the platform a webhook; returns its plan, if it has one. */
  async tell(
    url: string,
    notices: CallNotice[],
    extra: Record<string, string> = {},
  ): Promise<{ status: number; plan?: AnswerPlan }> {
    const body = JSON.stringify(notices);
    const signature = fakeSignature(this.secret, new URL(url).pathname, body);
    const headers = { 'content-type': 'application/json', 'x-fake-signature': signature, ...extra };
    const reply = await fetch(url, { method: 'POST', body, headers });
    const text = await reply.text();
    return { status: reply.status, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (this.failures > 0) {
      this.failures -= 1;
      return { status: 503 };
    }
    if (request.url === '/place') return this.place(body);
    if (request.url === '/find') return this.find(body);
    if (request.url === '/transfer') this.transfers.push(body);
    if (request.url === '/digits') this.digits.push(body.digits);
    if (request.url === '/end') {
      this.ended.push(body.callId);
      const call = this.calls.get(body.callId);
      if (call) call.state = 'completed';
    }
    return { status: 200 };
  }

  private async place(request: PlaceRequest): Promise<{ status: number; body: unknown }> {
    if (this.refusedCallers.has(request.from)) return { status: 403, body: {} };
    this.placed.push(request);
    const call = this.newCall('ringing', request.reference);
    this.onPlace(request, call);
    await this.beforeAnswer();
    if (this.losesAnswers > 0) {
      this.losesAnswers -= 1;
      return { status: 503, body: {} };
    }
    return { status: 200, body: { callId: call.callId, state: call.state } };
  }

  private find(search: { callId?: string; reference?: string }): { status: number; body?: unknown } {
    const call = [...this.calls.values()].find(
      ({ callId, reference }) => callId === search.callId || (reference !== undefined && reference === search.reference),
    );
    return call ? { status: 200, body: { ...call, isExact: true } } : { status: 404 };
  }
}

/** The other side of a call: what it says and hears over the fake carrier's media. */
export class FakePhone {
  readonly heard: Buffer[] = [];
  readonly events: { event: string; name?: string; digits?: string }[] = [];
  readonly closed: Promise<number>;
  private timer: NodeJS.Timeout | undefined;
  /** Marks are echoed at once, unless a test says otherwise. */
  echoesMarks = true;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary) => (isBinary ? this.heard.push(data) : this.take(data.toString())));
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    void this.closed.then(() => clearInterval(this.timer));
    socket.on('error', () => undefined);
  }

  /** Connects a call's media, as the carrier does once it is answered. */
  static async answer(mediaUrl: string, callId: string): Promise<FakePhone> {
    const phone = await FakePhone.connect(mediaUrl);
    phone.say({ event: 'start', callId });
    return phone;
  }

  static async connect(mediaUrl: string, headers: Record<string, string> = {}): Promise<FakePhone> {
    const socket = new WebSocket(mediaUrl, { headers });
    const phone = new FakePhone(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      socket.once('error', reject);
    });
    return phone;
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  sound(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  /** Sends silence, or the given frame, every 20 ms. */
  stream(frame: Uint8Array = new Uint8Array(160).fill(0x55)): void {
    clearInterval(this.timer);
    this.timer = setInterval(() => this.socket.readyState === WebSocket.OPEN && this.sound(frame), 20);
  }

  /** Stops sending, but stays connected. */
  pause(): void {
    clearInterval(this.timer);
  }

  hangUp(): void {
    clearInterval(this.timer);
    this.say({ event: 'stop' });
    this.socket.close();
  }

  /** Drops the connection without a message. */
  cut(): void {
    clearInterval(this.timer);
    this.socket.terminate();
  }

  private take(text: string): void {
    const message: { event: string; name?: string } = JSON.parse(text);
    this.events.push(message);
    if (message.event === 'mark' && this.echoesMarks) this.say({ event: 'mark', name: message.name });
  }
}
