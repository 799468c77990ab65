import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable, type ReadableOptions } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import { complaintsAbout, Fault, ownWords, type KeyKind, type Principal, valueAt } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access, Endpoint } from './endpoint';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who holds the key of this request; set by the access guard, absent on public routes. */
    principal: Principal | undefined;
    /** Aborts when the caller's right to the answer ends; set only on requests that may last. */
    ended: AbortSignal | undefined;
    /** Takes the fields of a form before anything is done with them; set where the audit log records the request. */
    formRead: ((fields: object) => Promise<void>) | undefined;
  }
}

/** The endpoint that a request is for; undefined for pages and documents. */
export function endpointOf({ routeOptions }: FastifyRequest): Endpoint | undefined {
  return routeOptions.config.endpoint;
}

/** The endpoint that a context's request is for. */
export function endpointIn(context: ExecutionContext): Endpoint | undefined {
  return endpointOf(context.switchToHttp().getRequest<FastifyRequest>());
}

/** Whether a request to this endpoint is a management action: it changes something that the organization stores. */
export function changesSomething(endpoint: Endpoint): boolean {
  if (endpoint.method === 'DELETE') return true;
  return endpoint.method === 'POST' && !endpoint.charges && endpoint.needs !== 'key-kind' && !onlyViews(endpoint);
}

/** Whether the audit log has a line of each request: of a change, and of an export, which takes many people's data out of the platform. */
export function isRecorded(endpoint: Endpoint): boolean {
  return (
    changesSomething(endpoint) ||
    ('answers' in endpoint && endpoint.answers.some(({ contentType }) => contentType === 'text/csv'))
  );
}

/** Lists, searches and exports are POSTs if their filters are long; they only require the right to view. */
function onlyViews({ needs }: Endpoint): boolean {
  return typeof needs === 'string' && needs.endsWith('.CanView');
}

/** Whether an endpoint looks at a member's key at all: because it requires one, or to know who accepts an invitation. */
export function knowsMembers(access: Access): boolean {
  if (access.keys === 'public') return access.mayBeKnown === true;
  const kinds: readonly KeyKind[] = access.keys;
  return kinds.includes('wsk');
}

/** Looks up the holder of an API key. */
export abstract class Principals {
  /** The holder; undefined if the key is unknown, expired, revoked or not allowed from the request's address. */
  abstract principalOf(
    apiKey: string,
    request: Pick<FastifyRequest, 'ip'>,
  ): Principal | undefined | Promise<Principal | undefined>;
}

/** The caller. Throws if there is none. */
export function callerOf({ principal }: Call): Principal {
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return principal;
}

const sampledTraceparent = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The call that one HTTP request makes: its signal aborts if the client disconnects before it has the answer. */
export function gatewayCall(request: FastifyRequest, reply: FastifyReply, timeoutMs: number): Call {
  const { principal } = request;
  const traceparent = traceparentOf(request);
  return {
    requestId: request.id,
    deadlineAtMs: Date.now() + timeoutMs,
    signal: signalOf(reply),
    ...(principal && { principal }),
    ...(traceparent && { traceparent }),
  };
}

/** Aborts when the connection closes before the answer is complete, or when the caller's right to it ends. */
function signalOf(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  const { raw, request } = reply;
  // A client that sends an Idempotency-Key comes back for the answer, so the work continues.
  if (request.chargeId !== undefined) return abort.signal;
  const { ended } = request;
  const cancel = (): void => abort.abort(new Fault('CANCELLED'));
  if (raw.destroyed || ended?.aborted) cancel();
  ended?.addEventListener('abort', cancel, { once: true });
  raw.once('close', () => {
    if (!raw.writableFinished) cancel();
  });
  return abort.signal;
}

/** How long after its deadline an answer may still be on its way: a client that reads is told at the deadline what happened. */
const lateMsMax = 10_000;

interface StreamedAnswer extends ReadableOptions {
  readonly reply: FastifyReply;
  readonly call: Pick<Call, 'deadlineAtMs'>;
}

/**
 * A streamed answer. The first item is requested at once: a generator that was never started does not run its `finally`, so a
 * client that disconnects before the first byte would leave the stream behind it open. A client that takes no more is cut off after
 * the deadline: the failure would only be noticed when it takes more, and until then it would keep its connection.
 */
export function bodyOf<Item>(items: AsyncGenerator<Item>, { reply, call, ...options }: StreamedAnswer): Readable {
  const { raw } = reply;
  if (!raw.destroyed) {
    const cut = setTimeout(() => raw.destroy(), call.deadlineAtMs - Date.now() + lateMsMax).unref();
    raw.once('close', () => clearTimeout(cut));
  }
  let first: Promise<IteratorResult<Item>> | undefined = items.next();
  first.catch(() => undefined);
  const next = (): Promise<IteratorResult<Item>> => {
    const result = first ?? items.next();
    first = undefined;
    return result;
  };
  const begun: AsyncIterator<Item> = { next, return: (value: unknown) => items.return(value) };
  return Readable.from({ [Symbol.asyncIterator]: () => begun }, options);
}

function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers.traceparent;
  return typeof given === 'string' && sampledTraceparent.test(given) ? given : undefined;
}

/** The input of a chat that is not a form: its body, with the agent from the query if the body names none. */
export function chatInput({ body, query }: Pick<FastifyRequest, 'body' | 'query'>): unknown {
  const { AgentKeyID } = fieldsOf(query);
  return AgentKeyID === undefined ? body : { AgentKeyID, ...fieldsOf(body) };
}

/** The fields of unparsed input, for code that runs before the contract is checked; empty if there are none. */
export function fieldsOf(unparsed: unknown): Readonly<Record<string, unknown>> {
  return typeof unparsed === 'object' && unparsed !== null ? { ...unparsed } : {};
}

const complaintsMax = 50;

/** The input as parsed by its schema, or a VALIDATION_FAILED that names each wrong field and what it may be. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return readInput(schema, input).output;
}

/** The parsed input, and the input to pass on: as given, without the nulls of optional fields. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { readonly output: z.output<Schema>; readonly given: unknown } {
  const first = schema.safeParse(input, { error: ownWords });
  if (first.success) return { output: kept(first.data), given: input };
  const given = withoutNulls(input, first.error.issues);
  const second = given === input ? first : schema.safeParse(given, { error: ownWords });
  if (second.success) return { output: kept(second.data), given };
  throw refusalOf(schema, given, second.error.issues);
}

/** The same value, once checked: Postgres must accept all of its text, as text and as JSON. */
function kept<Value>(value: Value): Value {
  const found = unkeptIn(value, []);
  if (!found) return value;
  const field = found.path.join('.');
  const message = `${field || 'the input'} must not contain ${found.what}`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field, message }] });
}

interface Unkept {
  readonly path: readonly string[];
  readonly what: string;
}

/** The depth of JSON input is limited by the body parser. */
function unkeptIn(value: unknown, path: readonly string[]): Unkept | undefined {
  if (typeof value === 'string') return unkeptText(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = unkeptText(name, path) ?? unkeptIn(each, [...path, name]);
    if (found) return found;
  }
  return undefined;
}

function unkeptText(text: string, path: readonly string[]): Unkept | undefined {
  if (text.includes('\0')) return { path, what: 'the NUL character' };
  return text.isWellFormed() ? undefined : { path, what: 'half of a surrogate pair' };
}

/** Many clients send null for "nothing". Where the schema accepts no null, it counts as leaving the field out. */
function withoutNulls(input: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const places: Places = new Map();
  for (const { path } of issues) {
    // An item of a list cannot be left out.
    if (typeof path.at(-1) === 'string' && valueAt(input, path) === null)
      path.reduce<Places>((inner, step) => {
        const next = inner.get(step) ?? new Map<PropertyKey, Places>();
        inner.set(step, next);
        return next;
      }, places);
  }
  return places.size === 0 ? input : without(input, places);
}

/** The fields of an object by name and the items of a list by number. */
type Places = Map<PropertyKey, Places>;

/** In one pass: a list may have ten thousand rows, each with a null. */
function without(input: unknown, places: Places): unknown {
  if (typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input))
    return input.map((each: unknown, index) => {
      const inner = places.get(index);
      return inner ? without(each, inner) : each;
    });
  const fields = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const inner = places.get(name);
    if (!inner) return [[name, value]];
    return inner.size === 0 ? [] : [[name, without(value, inner)]];
  });
  return Object.fromEntries(fields);
}

function refusalOf(schema: z.ZodType, input: unknown, issues: readonly z.core.$ZodIssue[]): Fault {
  const details = complaintsAbout(schema, input, issues.slice(0, complaintsMax)).map(({ field, predicate }) => {
    return { field, message: `${field || 'the input'} ${predicate}` };
  });
  const [first] = details;
  return new Fault('VALIDATION_FAILED', { details, ...(first && { message: first.message }) });
}

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's own X-Request-ID if it is safe to log and to echo, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : newRequestId();
}

/** A UUIDv7, which sorts by time, so that requests of the same minute are adjacent in logs and indexes. */
export function newRequestId(nowMs = Date.now()): string {
  if (nowMs !== spelled.ms) spelled = { ms: nowMs, text: timeText(nowMs) };
  return spelled.text + randomUUID().slice(15);
}

/** Requests in the same millisecond share their prefix; formatting it costs more than the random rest. */
let spelled = { ms: Number.NaN, text: '' };

function timeText(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/** Headers of every response. Answers belong to one caller, so no proxy may store or reinterpret them. */
export function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}
