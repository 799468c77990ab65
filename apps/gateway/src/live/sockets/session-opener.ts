import { Inject, Injectable } from '@nestjs/common';
import {
  type CreditKind,
  endSession,
  Fault,
  openSession,
  openTranscription,
  openVoiceSession,
  type Principal,
  type TurnsPayer,
  Variables,
} from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { OpenConnections } from '../../door/limits/open-connections';
import { parseInput } from '../../endpoint/gateway-call';
import { Charging } from '../../money/charging';
import { SessionMeter } from '../../money/session-meter';
import type { BudgetedWidget } from '../../money/widget-budgets';
import type { ClientSide, SessionStart } from './relay';
import type { Admitted } from './socket-admission';
import { type Prepared, VoiceRelay } from './voice-relay';

/** A new conversation in which nothing has been said yet. */
export interface KnownSession {
  readonly sessionUUID: string;
  readonly AgentID: number;
  readonly AgentKeyID: string;
  readonly isNew: boolean;
  readonly language: SessionStart['language'];
  readonly variables: SessionStart['variables'];
}

/** Opens what a relay needs: the conversation, the line to the speech service, the meter. */
@Injectable()
export class SessionOpener {
  constructor(
    readonly bus: ServiceBus,
    readonly charging: Charging,
    @Inject(OpenConnections) private readonly connections: OpenConnections,
    private readonly log: Logger,
  ) {}

  /** The conversation that the client starts or resumes. Its token takes precedence over its message. */
  async session(admitted: Admitted, start: SessionStart, channel: 'VOICE' | 'WIDGET'): Promise<KnownSession> {
    const { entry } = admitted;
    const { language } = start;
    const { visitorOf } = admitted;
    const own = visitorOf || entry ? declaredVariables(start.variables, declaredTo(admitted)) : start.variables;
    const variables = parseInput(Variables, { ...own, ...entry?.variables });
    const sessionUUID = entry?.sessionUUID ?? start.sessionUUID;
    // Ids of other conversations are no secret, since logs and exports contain them; but visitors must not see what was said
    // there.
    const ofChannel = visitorOf && channel;
    const body = { AgentKeyID: entry?.AgentKeyID, sessionUUID, ofChannel, channel, language, variables };
    const known = await this.asking(admitted, (bus) => bus.ask(openSession, body));
    this.connections.noteAgent(admitted, known.AgentID);
    return { ...known, language, variables };
  }

  /** Asks a service on behalf of a client. */
  asking<T>(asker: Asker, ask: (bus: ServiceBus) => Promise<T>): Promise<T> {
    return inCall(asker, () => ask(this.bus));
  }

  /** Relays a conversation to the speech service; `session` resolves once the conversation is known. */
  spoken(
    admitted: Admitted,
    client: ClientSide,
    channel: 'VOICE' | 'WIDGET',
    session: (start: SessionStart) => Promise<KnownSession>,
  ): VoiceRelay {
    const { visitorOf } = admitted;
    return new VoiceRelay(client, async (start, onExhausted): Promise<Prepared> => {
      const { AgentID, isNew, ...said } = await session(start);
      const { sampleRate, encoding } = start;
      const opening = { ...said, channel, sampleRate, encoding, turnsPaidBy: turnsPayerOf(visitorOf), takesUndecided: true };
      const payer = { agentId: AgentID, agentKeyId: said.AgentKeyID, visitorOf };
      return {
        openLine: ({ signal, timeoutMs, goesOn }) =>
          inCall(admitted, () => this.bus.open(openVoiceSession, { ...opening, goesOn }, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer, kinds: ['TTT_API', 'TTS_API', 'STT_API'], onExhausted }),
        refused: async () => (isNew ? this.endRefused(admitted, said.sessionUUID) : undefined),
      };
    });
  }

  /** The speech service for transcription only. */
  transcription(admitted: Admitted, client: ClientSide): VoiceRelay {
    const prepare = async (
      { language, sampleRate, encoding }: SessionStart,
      onExhausted: (why: Fault) => void,
    ): Promise<Prepared> => {
      if (!language) throw languageMissing();
      const opening = { language, sampleRate, encoding, takesUndecided: true };
      return {
        openLine: ({ signal, timeoutMs }) =>
          inCall(admitted, () => this.bus.open(openTranscription, opening, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer: {}, kinds: ['STT_API'], onExhausted }),
        refused: async () => undefined,
      };
    };
    return new VoiceRelay(client, prepare, true);
  }

  /** Ends a new conversation that was refused after it began; otherwise it would stay open until it times out. */
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

function turnsPayerOf(visitorOf: BudgetedWidget | undefined): z.output<typeof TurnsPayer> {
  return visitorOf ? { widget: { keyId: visitorOf.keyId, dailyCredits: visitorOf.dailyCredits } } : {};
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

const valueLettersMax = 200;

interface Declared {
  readonly names: readonly string[];
  readonly refusal: string;
}

/** Whoever holds a token may repeat what it says: they become part of the prompt, so only its maker sets them. */
function declaredTo({ visitorOf, entry }: Admitted): Declared {
  if (visitorOf) return { names: visitorOf.variables, refusal: 'is not declared by this widget' };
  return {
    names: Object.keys(entry?.variables ?? {}),
    refusal: 'is not set by the token: whoever makes the token sets variables',
  };
}

/**
 * The variables that an anonymous visitor may set: those that the widget declares, with short values. Anything else throws a
 * Fault.
 */
function declaredVariables(given: object | undefined, { names, refusal }: Declared): z.output<typeof Variables> {
  const details: { field: string; message: string }[] = [];
  const variables: z.output<typeof Variables> = {};
  for (const [name, value] of Object.entries<unknown>({ ...given })) {
    const field = `variables.${name.slice(0, 64)}`;
    if (!names.includes(name)) details.push({ field, message: refusal });
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
