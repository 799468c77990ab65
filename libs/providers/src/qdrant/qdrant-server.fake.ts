import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { OpenApiChecker } from './openapi-checker.fake';

const Sparse = z.object({ indices: z.array(z.number()), values: z.array(z.number()) });

const Vector = z.union([z.array(z.number()), Sparse]);

const Payload = z.record(z.string(), z.unknown());

const Point = z.object({ id: z.string(), vector: z.record(z.string(), Vector), payload: Payload });

const Condition = z.object({
  key: z.string(),
  match: z.union([z.object({ value: z.unknown() }), z.object({ any: z.array(z.unknown()) })]).optional(),
  range: z.object({ lt: z.number() }).optional(),
});

const Filter = z.object({ must: z.array(Condition) }).default({ must: [] });

const Query = z.object({ query: Vector, using: z.string(), limit: z.number(), filter: Filter });

const Scroll = z.object({ filter: Filter, limit: z.number(), offset: z.string().optional() });

const Operation = z.union([
  z.object({ set_payload: z.object({ payload: Payload, filter: Filter }) }),
  z.object({ delete: z.object({ filter: Filter }) }),
]);

type Point = z.output<typeof Point>;

type Filter = z.output<typeof Filter>;

const Created = z.object({ vectors: z.record(z.string(), z.object({ size: z.number() })) });

/** A test server that implements the requests we make, and checks each against Qdrant's own API description. */
export class QdrantServer {
  /** Violations in requests, one line each. */
  readonly violations: string[] = [];
  /** All requests, by method and path, for tests that count them. */
  readonly requests: string[] = [];
  /** Failures to return, in order, before handling requests. */
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

function fits({ payload }: Point, { must }: Filter): boolean {
  return must.every(({ key, match, range }) => {
    const value = payload[key];
    if (range) return Number(value) < range.lt;
    if (!match) return false;
    return 'any' in match ? match.any.includes(value) : match.value === value;
  });
}

/** A collection of the test server, with exhaustive search. */
class QdrantCollectionStub {
  private points = new Map<string, Point>();

  constructor(private readonly vectors: Record<string, { size: number }>) {}

  /** Undefined for anything that does not exist. */
  answer(call: string, body: unknown): unknown {
    const [method, resource = '', ...rest] = call.split(/[ /]/);
    if (resource === 'vectors') return this.changeVectors(method, rest[0] ?? '', body);
    if (resource === 'index' || method === 'PATCH') return true;
    if (call === 'GET ') return { config: { params: { vectors: this.vectors } } };
    if (resource !== 'points') return undefined;
    return method === 'POST' && ['', 'query/batch', 'scroll', 'count'].includes(rest.join('/'))
      ? this.read(rest.join('/'), body)
      : this.write(rest.join('/'), body);
  }

  private read(call: string, body: unknown): unknown {
    if (call === 'query/batch') {
      const { searches } = z.object({ searches: z.array(Query) }).parse(body);
      return searches.map((each) => ({ points: this.search(each) }));
    }
    if (call === 'count') return { count: this.matching(z.object({ filter: Filter }).parse(body).filter).length };
    if (call === 'scroll') {
      const { filter, limit, offset = '' } = Scroll.parse(body);
      const sorted = this.matching(filter).sort((a, b) => (a.id < b.id ? -1 : 1));
      return { points: sorted.filter(({ id }) => id >= offset).slice(0, limit) };
    }
    const { ids } = z.object({ ids: z.array(z.string()) }).parse(body);
    return [...this.points.values()].filter(({ id }) => ids.includes(id));
  }

  private write(call: string, body: unknown): unknown {
    if (call === '') {
      for (const point of z.object({ points: z.array(Point) }).parse(body).points) this.points.set(point.id, point);
    } else if (call === 'delete') {
      this.delete(z.object({ filter: Filter }).parse(body).filter);
    } else if (call === 'batch') {
      for (const operation of z.object({ operations: z.array(Operation) }).parse(body).operations) this.apply(operation);
    } else if (call === 'vectors') {
      for (const { id, vector } of z.object({ points: z.array(Point.omit({ payload: true })) }).parse(body).points) {
        const point = this.points.get(id);
        // Like the real server, refuses to update a deleted point.
        if (!point) return undefined;
        Object.assign(point.vector, vector);
      }
    }
    return { operation_id: 1, status: 'completed' };
  }

  private apply(operation: z.output<typeof Operation>): void {
    if ('delete' in operation) return this.delete(operation.delete.filter);
    for (const point of this.matching(operation.set_payload.filter)) Object.assign(point.payload, operation.set_payload.payload);
  }

  private delete(filter: Filter): void {
    for (const { id } of this.matching(filter)) this.points.delete(id);
  }

  private changeVectors(method: string | undefined, name: string, body: unknown): unknown {
    if (method === 'PUT') this.vectors[name] = z.object({ dense: z.object({ size: z.number() }) }).parse(body).dense;
    else Reflect.deleteProperty(this.vectors, name);
    return true;
  }

  private matching(filter: Filter): Point[] {
    return [...this.points.values()].filter((point) => fits(point, filter));
  }

  private search({ query, using, limit, filter }: z.output<typeof Query>): (Point & { score: number })[] {
    return this.matching(filter)
      .map((point) => ({ ...point, score: this.product(query, point.vector[using]) }))
      .filter(({ score }) => score !== 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }

  private product(query: z.output<typeof Vector>, vector: z.output<typeof Vector> | undefined): number {
    if (!vector) return 0;
    if (Array.isArray(query))
      return Array.isArray(vector) ? query.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0) : 0;
    if (Array.isArray(vector)) return 0;
    return query.indices.reduce(
      (sum, index) => sum + this.frequency(index) * (vector.values[vector.indices.indexOf(index)] ?? 0),
      0,
    );
  }

  private frequency(index: number): number {
    const having = [...this.points.values()].filter(
      ({ vector }) => 'terms' in vector && !Array.isArray(vector.terms) && vector.terms?.indices.includes(index),
    );
    return Math.log(1 + (this.points.size - having.length + 0.5) / (having.length + 0.5));
  }
}
