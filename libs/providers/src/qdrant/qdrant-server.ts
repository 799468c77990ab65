import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { OpenApiChecker } from './openapi-checker';
import { QdrantCollectionStub } from './qdrant-collection-stub';

const Created = z.object({ vectors: z.record(z.string(), z.object({ size: z.number() })) });

/** A Qdrant for tests: it knows the few calls that we make, and holds each to Qdrant's own description of its API. */
export class QdrantServer {
  /** What was wrong with requests, one line each. */
  readonly violations: string[] = [];
  /** Every call, by method and path, for tests that count them. */
  readonly requests: string[] = [];
  /** Answered, first come first served, before anything is looked at. */
  readonly failures: { status: number; headers?: Record<string, string> }[] = [];
  url = '';
  private readonly collections = new Map<string, QdrantCollectionStub>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(private readonly checker: OpenApiChecker | undefined) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    this.url = address !== null && typeof address === 'object' ? `http://127.0.0.1:${address.port}` : '';
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    const url = new URL(path, this.url);
    const text = Buffer.concat(await request.toArray()).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const violation = this.checker?.violation(method, url, body);
    this.requests.push(`${method} ${url.pathname}`);
    if (violation) this.violations.push(violation);
    const failure = this.failures.shift();
    const {
      status,
      result,
      headers = {},
    } = failure ? { ...failure, result: undefined } : this.resultOf(method, url.pathname, body);
    const told = status === 200 ? 'ok' : { error: `status ${status}` };
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ result, status: told, time: 0 }));
  }

  private resultOf(
    method: string,
    path: string,
    body: unknown,
  ): { status: number; result?: unknown; headers?: Record<string, string> } {
    const [, , name = '', ...rest] = path.split('/');
    const collection = this.collections.get(name);
    const call = `${method} ${rest.join('/')}`;
    if (call === 'GET exists') return { status: 200, result: { exists: collection !== undefined } };
    if (call === 'PUT ') {
      if (collection) return { status: 409 };
      this.collections.set(name, new QdrantCollectionStub(Created.parse(body).vectors));
      return { status: 200, result: true };
    }
    if (!collection) return { status: 404 };
    if (call === 'DELETE ') return { status: 200, result: this.collections.delete(name) };
    const result = collection.answer(call, body);
    return result === undefined ? { status: 404 } : { status: 200, result };
  }
}
