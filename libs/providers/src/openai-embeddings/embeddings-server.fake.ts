import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

const Body = z.strictObject({
  model: z.literal('text-embedding-3-small'),
  input: z.union([z.string().min(1), z.array(z.string().min(1).max(32_000)).min(1).max(2048)]),
  dimensions: z.int().min(1).max(1536).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  user: z.string().optional(),
});

type Answer = { status: number; headers?: Record<string, string> };

/** A test server that enforces OpenAI's documented embeddings protocol. */
export class EmbeddingsServer {
  readonly requests: z.output<typeof Body>[] = [];
  /** Responses to be given, in order, instead of embeddings. */
  readonly failures: Answer[] = [];
  url = '';
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    this.url = address !== null && typeof address === 'object' ? `http://127.0.0.1:${address.port}/v1` : '';
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refuse = (status: number, message: string, headers?: Record<string, string>) =>
      send(status, { error: { message, type: 'invalid_request_error', param: null, code: null } }, headers);

    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return void refuse(404, 'unknown route');
    if (request.headers.authorization !== 'Bearer sk-right') return void refuse(401, 'incorrect API key');
    if (!request.headers['content-type']?.startsWith('application/json')) return void refuse(415, 'not JSON');
    const body = Body.safeParse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    if (!body.success) return void refuse(400, body.error.message);
    this.requests.push(body.data);
    const failure = this.failures.shift();
    if (failure) return void refuse(failure.status, 'told to fail', failure.headers);
    const inputs = typeof body.data.input === 'string' ? [body.data.input] : body.data.input;
    const data = inputs.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, body.data.dimensions ?? 1536),
    }));
    const tokens = inputs.join(' ').length;
    send(200, { object: 'list', data, model: body.data.model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
  }
}

function vectorOf(text: string, dimensions: number): number[] {
  let state = [...text].reduce((hash, character) => (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0, 17);
  const values = Array.from(
    { length: dimensions },
    () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 31 - 1,
  );
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
