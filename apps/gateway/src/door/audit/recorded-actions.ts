import { setImmediate } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type FaultCode, hiddenSecret, hiddenUnknown, type Principal, withoutSecrets } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { z } from 'zod';
import type { Endpoint } from '../../endpoint/endpoint';
import { endpointIn, fieldsOf as givenFields, gatewayCall } from '../../endpoint/gateway-call';
import { answerWithoutSecrets, inputWithoutSecrets } from '../../endpoint/secrets';
import { faultOf } from '../faults';

const textMax = 2_000;
const itemsMax = 100;
const depthMax = 8;
const bytesMax = 32_768;

/** A requested management action. */
interface Action {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly principal: Principal;
  /** The fields of a form, which are not on the request. */
  readonly form?: object;
}

/** The input of a management action. */
function inputOf({ request, form }: Pick<Action, 'request' | 'form'>): object {
  return { ...givenFields(request.body), ...form, ...givenFields(request.params) };
}

/** An action as recorded before it is attempted; `before` is the previous state, without secrets. */
export function intentOf(action: Action, before: unknown = null): ActionIntent {
  const { endpoint, request, principal } = action;
  const input = inputWithoutSecrets(endpoint, inputOf(action));
  return {
    orgId: principal.orgId,
    action: endpoint.contract.subject,
    memberId: principal.memberId ?? null,
    integrationKeyId: principal.keyId,
    subject: subjectOf({ endpoint, input, before, answer: undefined }),
    request: bounded(input),
    before: bounded(before),
    requestId: request.id,
  };
}

/** The outcome of an action that was answered. */
function endingOf(endpoint: Endpoint, { request, before }: ActionIntent, answer: unknown): ActionOutcome {
  const reply = answerWithoutSecrets(endpoint, answer);
  return { outcome: 'OK', reply: bounded(reply), subject: subjectOf({ endpoint, input: request, before, answer: reply }) };
}

/** What is known of an action, without secrets. */
interface KnownAction {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  readonly before: unknown;
  readonly answer: unknown;
}

/**
 * What an action was done to, as `AgentKeyID 5b0c…`, or as `Country IN` for a setting without an id. The record of the answer counts
 * before the one in the request, which may only be where it belongs. Empty for settings of the whole organization, and for several
 * records at once.
 */
function subjectOf({ endpoint, input, before, answer }: KnownAction): string {
  const reply = { ...givenFields(givenFields(answer).data), ...givenFields(answer) };
  const saved = onlyRowOf(savedLists(endpoint).map((list) => reply[list]));
  const places = [saved, reply, input, before, onlyRowOf(Object.values(reply))].map(givenFields);
  const ids = places.flatMap((place) => Object.entries(place).filter(([name, value]) => isId(name, value)));
  const row = ('beforeRow' in endpoint ? endpoint.beforeRow : undefined) ?? [];
  const setting = row.map((name) => [name, givenFields(input)[name]] as const);
  const named = ids.find(([name]) => name.endsWith('KeyID')) ?? ids[0];
  return plain([named ?? setting.flat()].flat().map(String).join(' ').slice(0, 100));
}

/** The lists of records that a save has in its request and its reply: `faqs` where `faqs[].KBFAQID` names each. */
function savedLists({ needs }: Endpoint): string[] {
  const by = typeof needs === 'object' && needs.by !== 'rows' ? needs.by : [];
  return by.flatMap((field) => /^(\w+)\[\]/.exec(field)?.[1] ?? []);
}

/** The only row of these lists together. */
function onlyRowOf(lists: readonly unknown[]): unknown {
  const rows: unknown[] = lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return rows.length === 1 ? rows[0] : undefined;
}

/** Texts that identify nothing. */
const nothing: readonly string[] = ['', hiddenSecret, hiddenUnknown];

/** Whether a field identifies a record. Roles and other types are chosen from a list that nobody changes. */
function isId(name: string, value: unknown): boolean {
  return (
    /(?<!Type)I[dD]$/.test(name) &&
    name !== 'requestId' &&
    (typeof value === 'number' ? value > 0 : typeof value === 'string' && !nothing.includes(value))
  );
}

/** The state before a change in what was found: all of it, or the row of a list that the change names. */
function stateIn(found: unknown, row: readonly string[] | undefined, input: object): unknown {
  if (!row || found === null) return found;
  const rows: unknown[] = [found, ...Object.values(givenFields(found))].find(Array.isArray) ?? [];
  const told = (fields: unknown) => row.map((name) => String(givenFields(fields)[name]).toLowerCase()).join('\n');
  return rows.find((each) => told(each) === told(input)) ?? null;
}

/** A value as the audit log may keep it: long texts cut, and the whole limited in size. */
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

/** An address without the values of its query, since any of them could be a key. */
function withoutParameters(text: string): string {
  const start = /^https?:\/\/[^\s?#]*\?/iu.exec(text)?.[0];
  if (start === undefined) return text;
  return start + text.slice(start.length).replace(/=[^&#\s]+/gu, `=${hiddenSecret}`);
}

function shortened(text: string): string {
  return text.length > textMax ? `${plain(text.slice(0, textMax))}…` : text;
}

/** Text that Postgres accepts as text and as JSON: no NUL, and no lone surrogate. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** What the log keeps of a body. */
const Kept = z.looseObject({}).nullable();

/** A management action about to be attempted. */
export const ActionIntent = z.object({
  orgId: z.int(),
  action: z.string(),
  memberId: z.string().nullable(),
  integrationKeyId: z.string().nullable(),
  subject: z.string(),
  request: Kept,
  before: Kept,
  requestId: z.string(),
});
export type ActionIntent = z.output<typeof ActionIntent>;

/** How it ended. */
export interface ActionOutcome {
  readonly outcome: string;
  readonly subject?: string;
  readonly reply?: object | null;
}

/** Where management actions are recorded: before they are attempted, and again when they have ended. */
export abstract class ActionTrail {
  /** Records an action about to be attempted and returns its reference. If it throws, the action must not be attempted. */
  abstract begin(action: ActionIntent): Promise<string>;

  /** Turns a recorded intent into a line of the log. */
  abstract finish(orgId: number, intent: string, ending: ActionOutcome): Promise<void>;

  /** Deletes an intent that never reached a service. */
  abstract drop(orgId: number, intent: string): Promise<void>;
}

const beforeMs = 2_000;
/** The request was refused before any service was asked. */
const untried: readonly FaultCode[] = ['VALIDATION_FAILED', 'MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'];

/** Records every management action in the audit log: who, with which key, the state before, the request, the outcome. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly trail: ActionTrail,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const endpoint = endpointIn(context);
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { principal } = request;
    if (!principal || !endpoint) return next.handle();
    return from(this.record({ endpoint, request, principal, reply: http.getResponse<FastifyReply>() }, next));
  }

  private async record(action: Answering, next: CallHandler): Promise<unknown> {
    const { request } = action;
    let begun: BegunAction | undefined;
    const begin = async (form?: object): Promise<BegunAction> => {
      const whole = form ? { ...action, form } : action;
      const intent = intentOf(whole, await this.before(whole));
      return (begun = { intent, id: await this.trail.begin(intent) });
    };
    // Only the handler reads a form, and what it asks for is not known before. Until then nothing is attempted.
    if (request.isMultipart()) request.formRead = async (form) => void (await begin(form));
    else await begin();
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      // A large answer has just been read and is scanned next; let other requests run in between.
      await setImmediate();
      const { id, intent } = begun ?? (await begin());
      await this.close(() => this.trail.finish(intent.orgId, id, endingOf(action.endpoint, intent, answer)));
      return answer;
    } catch (error) {
      if (begun) await this.fail(begun, faultOf(error).code);
      throw error;
    }
  }

  private fail({ id, intent: { orgId } }: BegunAction, code: FaultCode): Promise<void> {
    return this.close(() =>
      untried.includes(code) ? this.trail.drop(orgId, id) : this.trail.finish(orgId, id, { outcome: code }),
    );
  }

  /** The current state, if the row says how to read it. Failing to read it does not stop the action. */
  private async before({ endpoint, request, reply, ...action }: Answering): Promise<unknown> {
    const contract = 'before' in endpoint ? endpoint.before : undefined;
    const input = inputOf({ request, ...action });
    const asked = contract?.request.safeParse(input);
    if (!contract || !asked?.success) return null;
    const call = gatewayCall(request, reply, beforeMs);
    const found = await runInCall(call, () => this.bus.ask(contract, asked.data)).catch(() => null);
    return stateIn(withoutSecrets(contract.reply, found), 'beforeRow' in endpoint ? endpoint.beforeRow : undefined, input);
  }

  /** An intent whose end could not be recorded stays open, and the sweep records it. */
  private async close(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      this.log.error('The outcome of a management action was not recorded', { err: error }),
    );
  }
}

/** An action that is recorded and has not ended. */
interface BegunAction {
  readonly id: string;
  readonly intent: ActionIntent;
}

type Answering = Action & { readonly reply: FastifyReply };
