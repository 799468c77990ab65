import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { z } from 'zod';

type Behaviour =
  | 'answer'
  | 'tool'
  | 'reset'
  | 'garbage'
  | 'truncated'
  | 'silent'
  | { readonly status: number; readonly headers?: Record<string, string> };

/** A provider's wire protocol. */
export interface Protocol {
  readonly path: RegExp;
  /** The header with the key, and its expected value. */
  readonly key: readonly [string, string];
  readonly body: z.ZodType;
  /** The event stream of a complete answer: "Within three working days.", with 21 prompt and 7 completion tokens. */
  readonly answer: readonly string[];
  /** The event stream of an answer that calls `business_hours` with `{"day":"Sunday"}`. */
  readonly tool: readonly string[];
  readonly errorBody: unknown;
}

/** A test server that enforces a provider's documented protocol, and misbehaves on request. */
export class ModelServer {
  readonly requests: unknown[] = [];
  behaviour: Behaviour = 'answer';
  /** Resolves when a client disconnects during a response. */
  left = Promise.withResolvers<void>();
  url = '';
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  constructor(private readonly protocol: Protocol) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    this.url = address !== null && typeof address === 'object' ? `http://127.0.0.1:${address.port}` : '';
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  reset(): void {
    this.requests.length = 0;
    this.behaviour = 'answer';
    this.left = Promise.withResolvers();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(this.protocol.errorBody));
    const body: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString() || 'null');
    const [name, value] = this.protocol.key;
    if (!this.protocol.path.test(request.url ?? '')) return void refuse(404);
    if (request.headers[name] !== value) return void refuse(401);
    const parsed = this.protocol.body.safeParse(body);
    if (!parsed.success) return void response.writeHead(400).end(JSON.stringify({ error: { message: parsed.error.message } }));
    this.requests.push(parsed.data);
    if (typeof this.behaviour === 'object') return void refuse(this.behaviour.status, this.behaviour.headers);
    response.on('close', () => response.writableFinished || this.left.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.speak(response, this.behaviour);
  }

  private speak(response: ServerResponse, behaviour: Exclude<Behaviour, object>): void {
    const { answer, tool } = this.protocol;
    if (behaviour === 'answer') return void response.end(answer.join(''));
    if (behaviour === 'tool') return void response.end(tool.join(''));
    const half = answer.slice(0, Math.ceil(answer.length / 2)).join('');
    if (behaviour === 'silent') return void response.write(half);
    if (behaviour === 'truncated') return void response.end(half);
    if (behaviour === 'garbage') return void response.end(`${half}data: {"choices": [{]]}\n\n`);
    response.write(half, () => response.destroy());
  }
}
