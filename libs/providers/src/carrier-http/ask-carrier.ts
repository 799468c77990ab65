import { ProviderFailure } from '@parley/ports';
import type { z } from 'zod';
import { notReached } from '../speech-http';

const timeoutMs = 10_000;
const answerCharactersMax = 1024 * 1024;
const complaintCharactersMax = 500;
/** The form of tokens of media. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/** One question to a carrier's API. */
export interface CarrierQuestion {
  readonly carrier: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** Statuses that are answers too: a call that is not there any more, say. */
  readonly expects?: readonly number[];
}

export interface CarrierAnswer {
  readonly status: number;
  readonly text: string;
}

/** How carriers complain of the number that is called from. Twilio by code: 21210 is not verified, 21212 is none of theirs. */
const aboutCaller =
  /"code": ?212(10|12)\b|caller[ _-]?id|origination number|(['"]?\bfrom\b['"]?|\bsrc\b)[^.]{0,40}\b(not|invalid|unverified)\b/i;

/** Asks a carrier's API within ten seconds. What is no success and not expected is a ProviderFailure that says whether to try again. */
export async function askCarrier(question: CarrierQuestion): Promise<CarrierAnswer> {
  const { carrier, method, url, signal, expects = [] } = question;
  const until = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  let response: Response;
  let text: string;
  try {
    response = await (question.fetch ?? fetch)(url, { method, ...contentOf(question), signal: until, redirect: 'error' });
    text = (await response.text()).slice(0, answerCharactersMax);
  } catch (cause) {
    signal?.throwIfAborted();
    throw notReached(carrier, cause);
  }
  if (response.ok || expects.includes(response.status)) return { status: response.status, text };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ProviderFailure(carrier, `answered ${response.status}: ${complaintOf(text, question)}`, {
    retryable: retryableStatuses.has(response.status),
    isBusy: response.status === 429,
    refusesCaller: !retryableStatuses.has(response.status) && aboutCaller.test(text),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
  });
}

/** A carrier that complains may repeat what it was told. A token among it lets media in, and what is thrown here is logged. */
function complaintOf(text: string, { form, json }: CarrierQuestion): string {
  const told = JSON.stringify([form, json]).match(uuid) ?? [];
  return told.reduce((said, each) => said.replaceAll(each, '[a key]'), text).slice(0, complaintCharactersMax);
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

/** An answer in the shape that the carrier documents; anything else is a failure that no repetition mends. */
export function answerIn<Shape extends z.ZodType>(shape: Shape, { text }: CarrierAnswer, carrier: string): z.output<Shape> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ProviderFailure(carrier, 'answered with something that is not JSON', { retryable: true, cause });
  }
  const parsed = shape.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ProviderFailure(carrier, 'answered in a shape that its documentation does not know', {
    retryable: false,
    cause: parsed.error,
  });
}

/** The header of HTTP's basic authentication. */
export function basicAuth(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
