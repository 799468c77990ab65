import { Injectable } from '@nestjs/common';
import {
  type CreditKind, Fault, openSession, openTranscription, openVoiceSession, type Principal, Variables,
} from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { Charging } from '../credits/charging';
import { parseInput } from '../routes/complaints';
import type { Newcomer } from './entrance';
import { SessionMeter } from './session-meter';
import type { OpenLine } from './speech-line';
import { type Prepared, SpokenTalk } from './spoken-talk';
import type { SessionStart, Stage } from './talk';

/** A conversation that the platform knows, before anybody spoke in it. */
export interface KnownSession {
  readonly sessionUUID: string;
  readonly AgentID: number;
  readonly AgentKeyID: string;
  readonly language: SessionStart['language'];
  readonly variables: SessionStart['variables'];
}

const sampleBytes = { pcm16: 2, mulaw: 1 };

/** Bytes of a second of sound in the form that a client chose. */
export function bytesPerSecond({ sampleRate, encoding }: Pick<SessionStart, 'sampleRate' | 'encoding'>): number {
  return sampleRate * sampleBytes[encoding];
}

/** Opens what a talk needs elsewhere: the conversation, the line to the speech service, the meter. */
@Injectable()
export class SessionOpener {
  constructor(
    readonly bus: ServiceBus,
    readonly charging: Charging,
    private readonly log: Logger,
  ) {}

  /** The conversation that the client starts or goes on with. Its token's word counts more than its own. */
  async session(newcomer: Newcomer, start: SessionStart, channel: 'VOICE' | 'WIDGET'): Promise<KnownSession> {
    const { entry } = newcomer;
    const { language } = start;
    const variables = parseInput(Variables, { ...start.variables, ...entry?.variables });
    const sessionUUID = entry?.sessionUUID ?? start.sessionUUID;
    const body = { AgentKeyID: entry?.AgentKeyID, sessionUUID, channel, language, variables };
    const { isNew: _, ...known } = await this.asking(newcomer, (bus) => bus.ask(openSession, body));
    return { ...known, language, variables };
  }

  /** Asks a service in the name of a client. */
  asking<T>(asker: Asker, ask: (bus: ServiceBus) => Promise<T>): Promise<T> {
    return inCall(asker, () => ask(this.bus));
  }

  /** The speech service's part of a conversation. */
  spoken(newcomer: Newcomer, stage: Stage, { start, channel, session }: Spoken): SpokenTalk {
    const prepare = async (onExhausted: () => void): Promise<Prepared> => {
      const { AgentID, ...said } = await session();
      const opening = { ...said, channel, sampleRate: start.sampleRate, encoding: start.encoding };
      const openLine: OpenLine = ({ signal, timeoutMs }) =>
        inCall(newcomer, () => this.bus.open(openVoiceSession, opening, { timeoutMs }), signal);
      const payer = { agentId: AgentID, agentKeyId: said.AgentKeyID };
      return { openLine, meter: this.meter(newcomer, { payer, kinds: ['TTT_API', 'TTS_API', 'STT_API'], onExhausted }) };
    };
    return new SpokenTalk(stage, prepare, bytesPerSecond(start));
  }

  /** The speech service as a mere listener. */
  transcription(newcomer: Newcomer, stage: Stage, start: SessionStart): SpokenTalk {
    const prepare = async (onExhausted: () => void): Promise<Prepared> => {
      const { language, sampleRate, encoding } = start;
      if (!language) throw languageMissing();
      const wish = { language, sampleRate, encoding };
      const openLine: OpenLine = ({ signal, timeoutMs }) =>
        inCall(newcomer, () => this.bus.open(openTranscription, wish, { timeoutMs }), signal);
      return { openLine, meter: this.meter(newcomer, { payer: {}, kinds: ['STT_API'], onExhausted }) };
    };
    return new SpokenTalk(stage, prepare, bytesPerSecond(start));
  }

  private meter({ principal, requestId }: Newcomer, { payer, kinds, onExhausted }: Metered): SessionMeter {
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

interface Spoken {
  readonly start: SessionStart;
  readonly channel: 'VOICE' | 'WIDGET';
  /** Resolves with the conversation, once it is known. */
  session(): Promise<KnownSession>;
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
