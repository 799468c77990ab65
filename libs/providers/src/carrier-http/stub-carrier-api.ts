import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { CarrierRequest, DialledAddress, PlaceRequest } from '@parley/ports';

/** A request received by the stub. */
interface AskedOfApi {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A stub of a carrier's API: responds by `method path`, with 404 for anything unknown. */
export class StubCarrierApi {
  readonly asked: AskedOfApi[] = [];
  url = '';
  private readonly answers = new Map<string, { status: number; body: unknown }>();
  private readonly server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const asked = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    this.asked.push(asked);
    const { status, body: answer } = this.answers.get(`${asked.method} ${asked.path}`) ??
      this.answers.get(`${asked.method} ${asked.path.split('?')[0]}`) ?? { status: 404, body: { code: 20404 } };
    const content: unknown = typeof answer === 'function' ? answer(asked) : answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(content === undefined ? '' : JSON.stringify(content));
  });

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  /** Sets the response to a request, or a function that creates it. */
  on(question: string, body: unknown, status = 200): this {
    this.answers.set(question, { status, body });
    return this;
  }

  /** The requests since the last call, without headers. */
  take(): string[] {
    return this.asked
      .splice(0)
      .map(({ method, path, body }) => `${method} ${path} ${decodeURIComponent(body.replaceAll('+', ' '))}`.trim());
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The public address of the tests. */
export const publicUrl = 'https://calls.example';

/** An address for a carrier on its own, which nothing has checked. */
export function unchecked(address: string): DialledAddress {
  if (!isAddress(address)) throw new TypeError('an address is a string');
  return address;
}

function isAddress(address: unknown): address is DialledAddress {
  return typeof address === 'string';
}

/** A request to place a call, like the bridge's. */
export const placing: PlaceRequest = {
  reference: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e',
  from: '+912025501234',
  to: unchecked('+919820012345'),
  answerUrl: `${publicUrl}/telephony/x/key/answer`,
  statusUrl: `${publicUrl}/telephony/x/key/status`,
  mediaUrl: 'wss://calls.example/telephony/x/tok',
  ringSeconds: 30,
  secondsMax: 600,
  detectMachine: true,
};

/** A webhook request, like those that the bridge passes on. */
export function webhook(request: Partial<Omit<CarrierRequest, 'body'>> & { body?: string | object } = {}): CarrierRequest {
  const { body = '', headers = {}, ...rest } = request;
  const isJson = typeof body === 'object';
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  const text = isJson ? JSON.stringify(body) : body;
  return {
    method: 'POST',
    path: '/telephony/x/key/status',
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(text),
    ...rest,
  };
}

/** A form body. */
export function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}
