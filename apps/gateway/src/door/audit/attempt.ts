import { hiddenSecret, hiddenStranger, type Principal } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Endpoint } from '../../endpoint/endpoint';
import { answerWithoutSecrets, inputWithoutSecrets } from '../../endpoint/secrets';

const textMax = 2_000;
const itemsMax = 100;
const depthMax = 8;
const bytesMax = 32_768;

/** A management action that somebody asks for. */
export interface Action {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly principal: Principal;
}

/** What a management action is asked with. */
export function inputOf({ request }: Pick<Action, 'request'>): object {
  return { ...Object(request.body), ...Object(request.params) };
}

/** An action as the log notes it before it is tried; `before` is what was there, without secrets. */
export function attemptOf(action: Action, before: unknown = null): Attempt {
  const { endpoint, request, principal } = action;
  const input = inputWithoutSecrets(endpoint, inputOf(action));
  return {
    orgId: principal.orgId,
    action: endpoint.contract.subject,
    memberId: principal.memberId ?? null,
    integrationKeyId: principal.keyId,
    subject: subjectOf(input) ?? '',
    request: bounded(input),
    before: bounded(before),
    requestId: request.id,
  };
}

/** How an action ended that was answered. */
export function endingOf(endpoint: Endpoint, answer: unknown): Ending {
  const reply = answerWithoutSecrets(endpoint, answer);
  const subject = subjectOf(reply);
  return { outcome: 'OK', reply: bounded(reply), ...(subject && { subject }) };
}

/** What a body is about, as `AgentKeyID 5b0c…`: the first id in it, also inside the `data` of an answer. */
function subjectOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { data } = { data: undefined, ...body };
  const ids = Object.entries({ ...Object(data), ...body }).filter(([name, value]) => isId(name, value));
  const [name, value] = ids.find(([each]) => each.endsWith('KeyID')) ?? ids[0] ?? [];
  return name && plain(`${name} ${String(value)}`.slice(0, 100));
}

/** Texts that name nothing. */
const nothing: readonly string[] = ['', hiddenSecret, hiddenStranger];

function isId(name: string, value: unknown): boolean {
  return (
    /I[dD]$/.test(name) &&
    name !== 'requestId' &&
    (typeof value === 'number' ? value > 0 : typeof value === 'string' && !nothing.includes(value))
  );
}

/** A value as the audit log may keep it: cut where it is long, and never larger than a bound. */
export function bounded(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  const kept = Array.isArray(value) ? { items: keep(value, 0) } : fieldsOf(value, 0);
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  return bytes > bytesMax ? { omitted: `${bytes} bytes` } : kept;
}

function keep(value: unknown, depth: number): unknown {
  if (value === undefined) return null;
  if (typeof value === 'string') return shortened(withoutParameters(plain(value)));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '…';
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => keep(item, depth + 1));
  return fieldsOf(value, depth);
}

function fieldsOf(value: object, depth: number): Record<string, unknown> {
  const fields = Object.entries(value).slice(0, itemsMax);
  const kept = fields.map(([name, field]) => [plain(name), keep(field, depth + 1)] as const);
  return Object.fromEntries(kept);
}

/** An address without the values of its query: no contract says which of them are keys. */
function withoutParameters(text: string): string {
  const start = /^https?:\/\/[^\s?#]*\?/iu.exec(text)?.[0];
  if (start === undefined) return text;
  return start + text.slice(start.length).replace(/=[^&#\s]+/gu, `=${hiddenSecret}`);
}

function shortened(text: string): string {
  return text.length > textMax ? `${plain(text.slice(0, textMax))}…` : text;
}

/** Text that Postgres takes as text and as JSON: no NUL, and no half of a surrogate pair. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** What a log can keep of a body. */
const Kept = z.looseObject({}).nullable();

/** A management action that is about to be tried. */
export const Attempt = z.object({
  orgId: z.int(),
  action: z.string(),
  memberId: z.string().nullable(),
  integrationKeyId: z.string().nullable(),
  subject: z.string(),
  request: Kept,
  before: Kept,
  requestId: z.string(),
});
export type Attempt = z.output<typeof Attempt>;

/** How it ended. */
export interface Ending {
  readonly outcome: string;
  readonly subject?: string;
  readonly reply?: object | null;
}

/** Where management actions are written down: before they are tried, and again when they have ended. */
export abstract class ActionTrail {
  /** Notes what is about to be tried; answers how to refer to it. Throws when it cannot be noted: then it must not be tried. */
  abstract begin(attempt: Attempt): Promise<string>;

  /** Turns a noted attempt into a line of the log. */
  abstract finish(orgId: number, intent: string, ending: Ending): Promise<void>;

  /** Forgets an attempt that was none: nothing was asked of any service. */
  abstract drop(orgId: number, intent: string): Promise<void>;
}
