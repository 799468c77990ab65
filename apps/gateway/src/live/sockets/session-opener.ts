import { Injectable } from '@nestjs/common';
import {
  type CreditKind,
  Fault,
  endSession,
  openSession,
  openTranscription,
  openVoiceSession,
  type Principal,
  Variables,
} from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { Charging } from '../../money/charging';
import { parseInput } from '../../api/routes/complaints';
import type { Admitted } from './socket-admission';
import { SessionMeter } from '../../money/session-meter';
import { DaySpending, dayIsSpent, WidgetBudgets } from '../../money/widget-budgets';
import { type Prepared, VoiceExchange } from './voice-exchange';
import type { ClientSide, SessionStart } from './exchange';
import { declaredVariables } from './visitor-rules';

/** A conversation that the platform knows, before anybody spoke in it. */
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
    readonly budgets: WidgetBudgets,
    private readonly log: Logger,
  ) {}

  /** The conversation that the client starts or goes on with. Its token's word counts more than its own. */
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
      if (visitorOf) await this.budgets.take(visitorOf, 1);
      const { AgentID, isNew, ...said } = await session(start);
      const opening = { ...said, channel, sampleRate: start.sampleRate, encoding: start.encoding };
      const payer = { agentId: AgentID, agentKeyId: said.AgentKeyID };
      const day = visitorOf && new DaySpending(this.budgets, visitorOf, () => client.fail(dayIsSpent()));
      return {
        openLine: ({ signal, timeoutMs, goesOn }) =>
          inCall(admitted, () => this.bus.open(openVoiceSession, { ...opening, goesOn }, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer, kinds: ['TTT_API', 'TTS_API', 'STT_API'], onExhausted }),
        refused: async () => (isNew ? this.endRefused(admitted, said.sessionUUID) : undefined),
        ...(day && { spend: (credits: number) => day.add(credits) }),
      };
    });
  }

  /** The speech service as a mere listener. */
  transcription(admitted: Admitted, client: ClientSide): VoiceExchange {
    return new VoiceExchange(client, async ({ language, sampleRate, encoding }, onExhausted): Promise<Prepared> => {
      if (!language) throw languageMissing();
      const wish = { language, sampleRate, encoding };
      return {
        openLine: ({ signal, timeoutMs }) =>
          inCall(admitted, () => this.bus.open(openTranscription, wish, { timeoutMs }), signal),
        meter: this.meter(admitted, { payer: {}, kinds: ['STT_API'], onExhausted }),
        refused: async () => undefined,
      };
    });
  }

  /** A conversation that was made for a call which was then refused must not stand open until it is taken for silent. */
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
  readonly payer: { readonly agentId?: number; readonly agentKeyId?: string };
  readonly kinds: readonly CreditKind[];
  onExhausted(): void;
}

const never = new AbortController().signal;

/** Asks in the name of whoever is at the other end of the socket. */
function inCall<T>({ principal, requestId }: Asker, work: () => T, signal = never): T {
  return runInCall({ principal, requestId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}
