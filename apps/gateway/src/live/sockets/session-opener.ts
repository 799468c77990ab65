import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  type CreditKind,
  endSession,
  Fault,
  openSession,
  openTranscription,
  openVoiceSession,
  type Principal,
  sessionTaken,
  socketCloseCodes,
  Variables,
} from '@parley/contracts';
import { Broadcasts, Hears, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { parseInput } from '../../endpoint/gateway-call';
import { RateLimits } from '../../door/limits/rate-limits';
import { Charging } from '../../money/charging';
import { SessionMeter } from '../../money/session-meter';
import type { BudgetedWidget } from '../../money/widget-budgets';
import type { ClientSide, SessionStart } from './exchange';
import type { Admitted } from './socket-admission';
import { type Prepared, VoiceExchange } from './voice-exchange';

/** A new conversation in which nothing was said yet. */
export interface KnownSession {
  readonly sessionUUID: string;
  readonly AgentID: number;
  readonly AgentKeyID: string;
  readonly isNew: boolean;
  readonly language: SessionStart['language'];
  readonly variables: SessionStart['variables'];
}

/** Opens what an exchange needs elsewhere: the conversation, the line to the speech service, the meter. */
@Injectable()
export class SessionOpener {
  constructor(
    readonly bus: ServiceBus,
    readonly charging: Charging,
    private readonly log: Logger,
  ) {}

  /** The conversation that the client starts or resumes. Its token overrides its message. */
  async session(admitted: Admitted, start: SessionStart, channel: 'VOICE' | 'WIDGET'): Promise<KnownSession> {
    const { entry } = admitted;
    const { language } = start;
    const { visitorOf } = admitted;
    const own = visitorOf ? declaredVariables(start.variables, visitorOf.variables) : start.variables;
    const variables = parseInput(Variables, { ...own, ...entry?.variables });
    const sessionUUID = entry?.sessionUUID ?? start.sessionUUID;
    const body = { AgentKeyID: entry?.AgentKeyID, sessionUUID, channel, language, variables };
    const known = await this.asking(admitted, (bus) => bus.ask(openSession, body));
    return { ...known, language, variables };
  }

  /** Asks a service in the name of a client. */
  asking<T>(asker: Asker, ask: (bus: ServiceBus) => Promise<T>): Promise<T> {
    return inCall(asker, () => ask(this.bus));
  }

  /** The speech service's part of a conversation; `session` resolves with that, once it is known. */
  spoken(
    admitted: Admitted,
    client: ClientSide,
    channel: 'VOICE' | 'WIDGET',
    session: (start: SessionStart) => Promise<KnownSession>,
  ): VoiceExchange {
    const { visitorOf } = admitted;
    return new VoiceExchange(client, async (start, onExhausted): Promise<Prepared> => {
      const { AgentID, isNew, ...said } = await session(start);
      const opening = { ...said, channel, sampleRate: start.sampleRate, encoding: start.encoding };
      const payer = { agentId: AgentID, agentKeyId: said.AgentKeyID, visitorOf };
      return {
        openLine: ({ signal, timeoutMs, goesOn }) =>
          inCall(admitted, () => this.bus.open(openVoiceSession, { ...opening, goesOn }, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer, kinds: ['TTT_API', 'TTS_API', 'STT_API'], onExhausted }),
        refused: async () => (isNew ? this.endRefused(admitted, said.sessionUUID) : undefined),
      };
    });
  }

  /** The speech service as a mere listener. */
  transcription(admitted: Admitted, client: ClientSide): VoiceExchange {
    const prepare = async (
      { language, sampleRate, encoding }: SessionStart,
      onExhausted: (why: Fault) => void,
    ): Promise<Prepared> => {
      if (!language) throw languageMissing();
      const wish = { language, sampleRate, encoding };
      return {
        openLine: ({ signal, timeoutMs }) =>
          inCall(admitted, () => this.bus.open(openTranscription, wish, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer: {}, kinds: ['STT_API'], onExhausted }),
        refused: async () => undefined,
      };
    };
    return new VoiceExchange(client, prepare, true);
  }

  /** Ends a new conversation whose opening was refused, which would otherwise stay open until it times out. */
  private async endRefused(admitted: Admitted, sessionUUID: string): Promise<void> {
    const { requestId } = admitted;
    await this.asking(admitted, (bus) => bus.ask(endSession, { sessionUUID, reason: 'FAILED' })).catch((error: unknown) =>
      this.log.warn('The session of a refused call stays open until it is swept', { requestId, error }),
    );
  }

  private meter({ principal, requestId }: Admitted, { payer, kinds, onExhausted }: Metered): SessionMeter {
    return new SessionMeter(this.charging, { principal, requestId, ...payer }, { kinds, log: this.log, onExhausted });
  }
}

function languageMissing(): Fault {
  const message = 'language is required';
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'language', message }] });
}

interface Asker {
  readonly principal: Principal;
  readonly requestId: string;
}

interface Metered {
  readonly payer: { readonly agentId?: number; readonly agentKeyId?: string; readonly visitorOf?: BudgetedWidget | undefined };
  readonly kinds: readonly CreditKind[];
  onExhausted(why: Fault): void;
}

const never = new AbortController().signal;

/** Calls services as the socket's principal. */
function inCall<T>({ principal, requestId }: Asker, work: () => T, signal = never): T {
  return runInCall({ principal, requestId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}

const minuteMs = 60_000;
/** Typed questions in a minute, beside what the plan of the workspace allows. */
const questionsPerMinute = { visitor: 20, address: 60, widget: 600 };
const valueLettersMax = 200;

/** How often those may ask who came in by a socket. */
@Injectable()
export class QuestionLimits {
  constructor(private readonly limits: RateLimits) {}

  /** Takes one question from every limit that applies; returns the Fault of one that is exhausted. */
  take({ principal, counted, widget, address, requestId }: Admitted): Fault | undefined {
    const ofKey = this.limits.take(widget ? principal : counted, 'chat');
    if (!ofKey.isGranted) return tooFast(ofKey.retrySeconds);
    if (!widget) return undefined;
    const names = {
      visitor: `visitor ${requestId}`,
      address: `widget ${widget.keyId} address ${address}`,
      widget: `widget ${widget.keyId}`,
    };
    const buckets = Object.entries(questionsPerMinute).map(([who, limit]) => {
      const name = `questions of ${names[who === 'visitor' || who === 'address' ? who : 'widget']}`;
      return { name, policy: { limit, intervalMs: minuteMs / limit } };
    });
    const refused = this.limits.quotas.take(buckets).find(({ isGranted }) => !isGranted);
    return refused && tooFast(Math.ceil(refused.retryMs / 1_000));
  }
}

function tooFast(retryAfterSeconds: number): Fault {
  return new Fault('RATE_LIMITED', { retryAfterSeconds });
}

/** What an anonymous visitor may tell an agent: the variables that the widget names, and nothing long. A Fault for anything else. */
function declaredVariables(given: object | undefined, declared: readonly string[]): z.output<typeof Variables> {
  const details: { field: string; message: string }[] = [];
  const variables: z.output<typeof Variables> = {};
  for (const [name, value] of Object.entries<unknown>({ ...given })) {
    const field = `variables.${name.slice(0, 64)}`;
    if (!declared.includes(name)) details.push({ field, message: 'is not declared by this widget' });
    else if (String(value).length > valueLettersMax)
      details.push({ field, message: `must have at most ${valueLettersMax} characters` });
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null)
      variables[name] = value;
    else details.push({ field, message: 'must be text, a number, true, false or null' });
    if (details.length >= 20) break;
  }
  if (details.length > 0)
    throw new Fault('VALIDATION_FAILED', { message: `${details[0]?.field} ${details[0]?.message}`, details });
  return variables;
}

interface Holder {
  readonly connection: string;
  readonly client: Pick<ClientSide, 'tell' | 'close'>;
}

/**
 * Which connection of this gateway holds which session. The newest wins, across all gateways; an older one is told and closed.
 */
@Injectable()
export class SessionHolders {
  private readonly holders = new Map<string, Holder>();

  constructor(private readonly broadcasts: Broadcasts) {}

  /** Takes a session for a connection; the returned function releases it when the connection is gone. */
  take(orgId: number, sessionUUID: string, client: Holder['client']): () => void {
    const name = `${orgId} ${sessionUUID}`;
    const holder = { connection: randomUUID(), client };
    this.replace(name, holder.connection);
    this.holders.set(name, holder);
    this.broadcasts.announce(sessionTaken, { orgId, payload: { sessionUUID, connection: holder.connection } });
    return () => {
      if (this.holders.get(name) === holder) this.holders.delete(name);
    };
  }

  /** Closes the connection that holds a session, unless it is the current one. */
  replace(name: string, connection: string): void {
    const older = this.holders.get(name);
    if (!older || older.connection === connection) return;
    this.holders.delete(name);
    older.client.tell({ type: 'session.ended', reason: 'REPLACED' });
    older.client.close({ code: socketCloseCodes.replaced, reason: 'another connection has taken over this session' });
  }
}

/** Receives the sessions begun at other gateways. */
@Controller()
export class SessionEventsController {
  constructor(private readonly holders: SessionHolders) {}

  @Hears(sessionTaken)
  hear({ sessionUUID, connection }: { sessionUUID: string; connection: string }, { orgId }: { orgId: number | null }): void {
    this.holders.replace(`${orgId} ${sessionUUID}`, connection);
  }
}
