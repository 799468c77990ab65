import { timingSafeEqual } from 'node:crypto';
import { holdsNoPassword } from '@parley/contracts';
import {
  type CallControl,
  type Carrier,
  type CarrierRequest,
  eitherSignal,
  type FoundCall,
  ProviderFailure,
  type WebhookReply,
  type WebhookVerdict,
} from '@parley/ports';
import { z } from 'zod';
import { jsonOf, notReached, textWithin } from '../provider-http';

const timeoutMs = 10_000;
const answerBytesMax = 1024 * 1024;
const complaintCharactersMax = 500;
/** The format of media tokens. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/** A request to a carrier's API. */
export interface CarrierQuestion {
  readonly carrier: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** Failure statuses that are expected, for instance if the call is over. */
  readonly expects?: readonly number[];
  /** The same by the carrier's error codes. */
  readonly expectsCodes?: readonly string[];
}

/** A request without the carrier's name, URL and headers, which each adapter adds. */
export type PathQuestion = Omit<CarrierQuestion, 'carrier' | 'url' | 'headers' | 'fetch'> & { readonly path: string };

export interface CarrierAnswer {
  readonly status: number;
  readonly text: string;
}

/** How carriers reject a caller number. Twilio's 21210 means not verified, 21212 invalid. */
const aboutCaller =
  /"code": ?212(10|12)\b|caller[ _-]?id|origination number|(['"]?\bfrom\b['"]?|\bsrc\b)[^.]{0,40}\b(not|invalid|unverified)\b/i;

/** Calls a carrier's API within ten seconds. An unexpected failure status is a ProviderFailure that says whether to retry. */
export async function askCarrier(question: CarrierQuestion): Promise<CarrierAnswer> {
  const { carrier, method, url, signal, expects = [], expectsCodes = [] } = question;
  const until = eitherSignal(signal, AbortSignal.timeout(timeoutMs));
  let response: Response;
  let text: string;
  try {
    response = await (question.fetch ?? fetch)(url, { method, ...contentOf(question), signal: until, redirect: 'error' });
    text = await textWithin(answerBytesMax, response);
  } catch (cause) {
    signal?.throwIfAborted();
    throw notReached(carrier, cause);
  }
  const code = response.ok ? undefined : codeIn(text);
  const isExpected = expects.includes(response.status) || (code !== undefined && expectsCodes.includes(code));
  if (response.ok || isExpected) return { status: response.status, text };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ProviderFailure(carrier, `answered ${response.status}: ${complaintOf(text, question)}`, {
    retryable: retryableStatuses.has(response.status),
    isBusy: response.status === 429,
    refusesCaller: !retryableStatuses.has(response.status) && aboutCaller.test(text),
    ...(code !== undefined && { code }),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
  });
}

const Code = z.union([z.string().max(100), z.number()]).transform(String);
const Complaint = z.union([
  z.object({ code: Code }),
  z.object({ errors: z.tuple([z.object({ code: Code })], z.unknown()) }).transform(({ errors: [first] }) => first),
]);

/** The carrier's error code, if any. */
function codeIn(text: string): string | undefined {
  try {
    return Complaint.safeParse(JSON.parse(text)).data?.code;
  } catch {
    return undefined;
  }
}

/** The message of a carrier's error, for the log. It may quote our request, so tokens that admit media are removed. */
function complaintOf(text: string, { form, json }: CarrierQuestion): string {
  const ids = JSON.stringify([form, json]).match(uuid) ?? [];
  return ids.reduce((scrubbed, each) => scrubbed.replaceAll(each, '[a key]'), text).slice(0, complaintCharactersMax);
}

function contentOf({ headers, form, json }: CarrierQuestion): {
  headers: Record<string, string>;
  body?: string | URLSearchParams;
} {
  if (json !== undefined) return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form === undefined) return { headers: { ...headers } };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) for (const one of [value].flat()) body.append(name, one);
  return { headers: { ...headers }, body };
}

interface AskedCarrier extends Carrier {
  readonly control: CallControl & Required<Pick<Carrier, 'test'>>;
}

/** A carrier that is controlled only by API requests, so that there is nothing to close. */
export function askedCarrier(parts: Omit<AskedCarrier, 'test' | 'close'>): Carrier {
  return { ...parts, test: (signal) => parts.control.test(signal), close: async () => {} };
}

/** Parses a response in the carrier's documented shape; anything else is a failure that is not retried. */
export function answerIn<Shape extends z.ZodType>(shape: Shape, { text }: CarrierAnswer, carrier: string): z.output<Shape> {
  const parsed = shape.safeParse(jsonOf(text, carrier));
  if (parsed.success) return parsed.data;
  throw new ProviderFailure(carrier, 'answered in a shape that its documentation does not know', {
    retryable: false,
    cause: parsed.error,
  });
}

/** The header of HTTP basic authentication. */
export function basicAuth(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The address of a carrier's API, if not the usual one: another region, or a self-hosted server. */
export function ApiUrl(usual: string) {
  return z
    .url({ protocol: /^https?$/ })
    .refine(holdsNoPassword, 'must hold no user name and no password')
    .transform((url) => url.replace(/\/+$/, ''))
    .default(usual)
    .meta({ description: 'The address of the API, if it is not the usual one.', example: usual });
}

/** A number in E.164 without the plus sign. */
export function e164Digits(number: string): string {
  return number.replace(/[^\d]/g, '');
}

/** Parses a carrier's time; without a zone, the given one is assumed. */
export function carrierTime(text: string | null | undefined, zone = 'Z'): number {
  if (!text) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/.test(text.trim()) ? text : `${text.trim().replace(' ', 'T')}${zone}`);
}

const durationSecondsMax = 7 * 86_400;

/** The duration that a carrier reports; omitted if it is not plausible. */
export function durationOf(text: string | number | null | undefined): { durationSeconds?: number } {
  const seconds = text === '' ? Number.NaN : Math.round(Number(text ?? Number.NaN));
  return seconds >= 0 && seconds <= durationSecondsMax ? { durationSeconds: seconds } : {};
}

/** The latest call placed after a time. It is found by its numbers, so the match is never exact. */
export function newest(
  calls: readonly (Omit<FoundCall, 'isExact'> & { readonly atMs: number })[],
  after: Date,
): FoundCall | undefined {
  // Carriers report whole seconds, and their clocks may differ.
  const slackMs = 5000;
  const [latest] = calls.filter(({ atMs }) => atMs >= after.getTime() - slackMs).sort((one, other) => other.atMs - one.atMs);
  if (!latest) return undefined;
  const { atMs: _, ...call } = latest;
  return { ...call, isExact: false };
}

const bodyBytesMax = 256 * 1024;
const fieldsMax = 200;

/** The first value of a header. */
export function headerOf({ headers }: CarrierRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The body of a request as text; empty if it is larger than any webhook. */
function bodyOf({ body }: CarrierRequest): string {
  return body.length > bodyBytesMax ? '' : Buffer.from(body).toString('utf8');
}

/** The fields of a form body and the query; the body's take precedence. */
export function fieldsOf(request: CarrierRequest): URLSearchParams {
  const fields = formOf(request);
  for (const [name, value] of queryOf(request)) fields.append(name, value);
  return fields;
}

/** The fields of a form body only. */
export function formOf(request: CarrierRequest): URLSearchParams {
  const isForm = headerOf(request, 'content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  const all = new URLSearchParams(isForm ? bodyOf(request) : '');
  return new URLSearchParams([...all].slice(0, fieldsMax));
}

export function queryOf({ path }: CarrierRequest): URLSearchParams {
  const at = path.indexOf('?');
  return new URLSearchParams([...new URLSearchParams(at < 0 ? '' : path.slice(at + 1))].slice(0, fieldsMax));
}

/** A JSON body; undefined if it is not JSON. */
export function jsonBodyOf(request: CarrierRequest): unknown {
  try {
    const json: unknown = JSON.parse(bodyOf(request));
    return json;
  } catch {
    return undefined;
  }
}

/** Compares secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function refused(reason: string): WebhookVerdict {
  return { isGenuine: false, reason };
}

export function genuine(onceKey?: string): WebhookVerdict {
  return { isGenuine: true, ...(onceKey !== undefined && { onceKey }) };
}

/**
 * Refuses an authentic request about another account with the same signing key. One that names no account is accepted.
 */
export function ofAccount(verdict: WebhookVerdict, named: string | null | undefined, ours: string): WebhookVerdict {
  if (!verdict.isGenuine || !named || named.toLowerCase() === ours.toLowerCase()) return verdict;
  return refused('the request is about another account');
}

/** The public URL of a request, by configuration rather than its Host header. */
export function publicUrlOf(publicUrl: string, { path }: CarrierRequest): string {
  return `${publicUrl.replace(/\/+$/, '')}${path}`;
}

/** The same URL with a WebSocket scheme. */
export function asWebSocket(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** The password of basic authentication or a bearer token, whichever the carrier sends. */
function presentedSecret(request: CarrierRequest): string | undefined {
  const header = headerOf(request, 'authorization') ?? '';
  const bearer = /^Bearer\s+(.+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (basic === undefined) return undefined;
  const text = Buffer.from(basic, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** For carriers that do not sign: checks a shared secret, in the Authorization header or the field `key`. */
export function bySecret(request: CarrierRequest, secret: string): WebhookVerdict {
  const presented = presentedSecret(request) ?? fieldsOf(request).get('key') ?? undefined;
  if (presented === undefined) return refused('the request bears no secret');
  return isSame(presented, secret) ? genuine() : refused('the secret is another');
}

export function xmlReply(body: string): WebhookReply {
  return { status: 200, contentType: 'application/xml', body: `<?xml version="1.0" encoding="UTF-8"?>${body}` };
}

export function jsonReply(body: unknown): WebhookReply {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}

/** Adds a query parameter to a URL, such as the secret for carriers that do not sign. */
export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

export const emptyReply: WebhookReply = { status: 204, contentType: 'text/plain', body: '' };

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escaped(text: string): string {
  // Characters that cannot be represented in XML are removed.
  return text
    .replace(/[&<>"']/g, (character) => escapes[character] ?? '')
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

/** An XML element. A text child is escaped, elements are not. Undefined attributes are omitted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  content: { readonly text: string } | readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`);
  const inner = 'text' in content ? escaped(content.text) : content.join('');
  return `<${name}${written.join('')}${inner === '' ? '/>' : `>${inner}</${name}>`}`;
}
