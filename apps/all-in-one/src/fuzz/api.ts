import path from 'node:path';
import fc from 'fast-check';
import { type AnswerContent, ApiDescription, errorSchema, type Operation } from './api-description';
import { FuzzKeys } from './fuzz-keys';
import { drawnRequests, type DrawnRequest } from './drawn-request';
import { KnownIds, SchemaValues } from './schema-values';
import type { PlatformUnderFuzz } from './platform-under-fuzz';
import { type Received, rendered, send, type SentRequest } from './sending';

/** Traces of the platform's internals, which no answer may contain: stack traces, SQL, file paths. */
const internals =
  /\bat (?:async )?[\w.<>]+ \(|node_modules|\.js:\d+|\.ts:\d+|QueryFailed|syntax error at or near|violates \w+|relation "|invalid (?:input|byte) |ECONN|\/(?:home|work|usr|tmp)\//;

/** Part of the refusal of bytes that are no request. All that is sent here are requests. */
const noHttp = 'not valid HTTP';

/** Errors that belong to no operation: unknown paths and methods, and refusals by HTTP itself. */
const ofNoOperation = new Set(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'HEADERS_TOO_LARGE']);

/** Requests generated per seed; each batch uses the next seed. */
const batchSize = 100;
const inFlight = 8;
const complaintsMax = 20;
const shownMax = 2_000;

/** An answer that violates the document, with what reproduces it. */
interface Complaint {
  readonly seed: number;
  readonly about: string;
  readonly request: string;
  readonly answer: string;
}

/** How many requests are generated, from which seed, and a folder for heap snapshots, if wanted. */
export interface FuzzSize {
  readonly requests: number;
  readonly seed: number;
  readonly snapshots?: string | undefined;
}

/** After these tenths of a run; by the first of them the caches are warm. */
const snapshotAfter: ReadonlySet<number> = new Set([3, 9]);

/** What a run did and found. */
export interface Fuzzed {
  readonly requests: number;
  readonly seconds: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Requests sent again because their connection was closed just as it was reused. */
  readonly askedAgain: number;
  /** Operations that answered 200 at least once, of all that are implemented. */
  readonly operationsDone: number;
  readonly operations: number;
  readonly notDone: readonly string[];
  /** Before the first request; the memory of a given installation is not measured. */
  readonly megabytesAtStart?: { readonly heap: number; readonly resident: number } | undefined;
  /** After each tenth of the run and a garbage collection: the heap in use, and the process's resident memory. */
  readonly heapMegabytes: readonly number[];
  readonly residentMegabytes: readonly number[];
  readonly complaints: readonly Complaint[];
}

/** Sends generated requests to every operation of the platform's own document, and checks every answer against it. */
export class ApiFuzz {
  private readonly byStatus: Record<string, number> = {};
  private readonly done = new Set<string>();
  private readonly complaints: Complaint[] = [];
  private askedAgain = 0;

  private constructor(
    private readonly platform: PlatformUnderFuzz,
    private readonly api: ApiDescription,
    private readonly keys: FuzzKeys,
    private readonly ids: KnownIds,
  ) {}

  static async of(platform: PlatformUnderFuzz): Promise<ApiFuzz> {
    const api = new ApiDescription(await (await fetch(`${platform.target.baseUrl}/openapi.json`)).json());
    const keys = await FuzzKeys.gather(platform.target);
    const ids = new KnownIds(new Set(keys.anchors));
    ids.stage(await keys.refill());
    return new ApiFuzz(platform, api, keys, ids);
  }

  async run({ requests, seed, snapshots }: FuzzSize): Promise<Fuzzed> {
    const startedAtMs = performance.now();
    const drawn = drawnRequests(this.api.operations, new SchemaValues(this.api.schemas));
    const batches = Math.ceil(requests / batchSize);
    const megabytesAtStart = await this.platform.heap?.megabytes();
    const measuredEvery = Math.max(1, Math.floor(batches / 10));
    const heapMegabytes: number[] = [];
    const residentMegabytes: number[] = [];
    for (let batch = 0; batch < batches && this.complaints.length < complaintsMax; batch += 1) {
      await this.sendAll(
        fc.sample(drawn, { seed: seed + batch, numRuns: Math.min(batchSize, requests - batch * batchSize) }),
        seed + batch,
      );
      if (this.platform.hasDied()) break;
      this.ids.stage(await this.keys.refill());
      if (!this.platform.heap || (batch + 1) % measuredEvery > 0) continue;
      const { heap, resident } = await this.platform.heap.megabytes();
      heapMegabytes.push(heap);
      residentMegabytes.push(resident);
      const file = snapshots && path.join(snapshots, `${heapMegabytes.length}.heapsnapshot`);
      if (file && snapshotAfter.has(heapMegabytes.length)) await this.platform.heap.snapshot(file);
    }
    const promised = this.api.operations.filter(({ path }) => !path.startsWith('/ws/')).map(({ id }) => id);
    return {
      requests: Object.values(this.byStatus).reduce((sum, count) => sum + count, 0),
      seconds: Math.round((performance.now() - startedAtMs) / 1000),
      byStatus: this.byStatus,
      askedAgain: this.askedAgain,
      operationsDone: this.done.size,
      operations: promised.length,
      notDone: promised.filter((id) => !this.done.has(id)),
      megabytesAtStart,
      heapMegabytes,
      residentMegabytes,
      complaints: this.complaints,
    };
  }

  /** Sends several at once, as clients do. */
  private async sendAll(batch: readonly DrawnRequest[], seed: number): Promise<void> {
    const waiting = batch.values();
    const sender = async (): Promise<void> => {
      for (const drawn of waiting) await this.sendOne(drawn, seed);
    };
    await Promise.all(Array.from({ length: inFlight }, sender));
  }

  private async sendOne(drawn: DrawnRequest, seed: number): Promise<void> {
    const request = rendered(drawn, this.ids, this.keys.keyOf(drawn.credential));
    try {
      const received = await send(this.platform.target.baseUrl, request);
      if (received.isAskedAgain) this.askedAgain += 1;
      this.byStatus[received.status] = (this.byStatus[received.status] ?? 0) + 1;
      const about = new Verdict(this.api).complaintAbout(drawn, received);
      const text = received.body.toString();
      if (about !== undefined) this.complain({ seed, about, request, answer: `${received.status} ${text}` });
      if (received.status !== 200) return;
      if (drawn.method === drawn.operation.method) this.done.add(drawn.operation.id);
      this.ids.gather(text);
    } catch (error) {
      this.complain({ seed, about: 'no answer', request, answer: String(error) });
    }
  }

  private complain({ seed, about, request, answer }: Omit<Complaint, 'request'> & { request: SentRequest }): void {
    const { 'x-api-key': _, ...headers } = request.headers;
    const shown = `${request.method} ${request.path} ${JSON.stringify(headers)} ${request.body?.toString() ?? ''}`;
    this.complaints.push({ seed, about, request: shown.slice(0, shownMax), answer: answer.slice(0, shownMax) });
  }
}

/** Checks whether an answer conforms to the document. */
class Verdict {
  constructor(private readonly api: ApiDescription) {}

  /** What is wrong with an answer; undefined if nothing is. */
  complaintAbout({ operation: wished, method }: DrawnRequest, { status, headers, body }: Received): string | undefined {
    // With another method it may be another operation on the same path.
    const operation = this.api.operations.find((each) => each.path === wished.path && each.method === method) ?? wished;
    const text = body.toString();
    if (!headers['x-request-id']) return 'no X-Request-ID';
    if (method === 'HEAD' || (method === 'OPTIONS' && status === 204)) return status >= 500 ? `status ${status}` : undefined;
    if (status >= 400) return this.ofError({ operation, status, text, headers });
    return this.ofSuccess(operation, { status, type: headers['content-type'] ?? '', text });
  }

  private ofError(answer: {
    operation: Operation;
    status: number;
    text: string;
    headers: Received['headers'];
  }): string | undefined {
    const { operation, status, text, headers } = answer;
    if (internals.test(text)) return 'shows the inside of the platform';
    const error = parsed(text);
    if (!isFault(error) || this.api.misfit(errorSchema, error)) return 'an error of another shape';
    // A replayed answer has the request id of the original.
    const isOfThis = error.requestId === headers['x-request-id'] || headers['idempotent-replayed'] === 'true';
    if (error.statusCode !== status || !isOfThis) return 'contradicts its own headers';
    if ((status === 429 || status === 503) && !Number(headers['retry-after'])) return 'no Retry-After';
    if (status >= 500) return `status ${status} ${error.code}`;
    if (text.includes(noHttp)) return 'a request that is HTTP was taken for none';
    if (ofNoOperation.has(error.code)) return undefined;
    const documented = operation.answers.get(status)?.get('application/json')?.codes ?? [];
    return documented.includes(error.code) ? undefined : `${status} ${error.code} is not documented`;
  }

  private ofSuccess(
    operation: Operation,
    { status, type, text }: { status: number; type: string; text: string },
  ): string | undefined {
    const content = operation.answers.get(status)?.get(type.split(';')[0] ?? '');
    if (!content) return `${status} ${type} is not documented`;
    if (content.isEvents) return this.ofEvents(content, text);
    if (!content.shape) return text === '' ? 'an empty body' : undefined;
    const misfit = this.api.misfit(content.shape, parsed(text));
    return misfit && `does not fit its schema: ${misfit}`;
  }

  private ofEvents({ shape = {} }: AnswerContent, text: string): string | undefined {
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => json);
    const odd = data.find((json) => this.api.misfit(shape, parsed(json)) !== undefined);
    if (odd !== undefined) return `an event fits nothing: ${odd}`;
    return data.length > 0 ? undefined : 'no events';
  }
}

function isFault(value: unknown): value is { statusCode: unknown; code: string; requestId: unknown } {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string' && 'requestId' in value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
