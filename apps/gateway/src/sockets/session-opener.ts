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
import { SpokenTalk } from './spoken-talk';
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
  spoken(newcomer: Newcomer, stage: Stage, { session, start, channel }: Spoken): SpokenTalk {
    const { sampleRate, encoding } = start;
    const { AgentID, ...said } = session;
    const opening = { ...said, channel, sampleRate, encoding };
    const openLine: OpenLine = ({ signal, timeoutMs }) =>
      inCall(newcomer, () => this.bus.open(openVoiceSession, opening, { timeoutMs }), signal);
    const payer = { agentId: AgentID, agentKeyId: session.AgentKeyID };
    return this.talk(newcomer, stage, { openLine, start, kinds: ['TTT_API', 'TTS_API', 'STT_API'], payer });
  }

  /** The speech service as a mere listener. */
  transcription(newcomer: Newcomer, stage: Stage, start: SessionStart): SpokenTalk {
    const { language, sampleRate, encoding } = start;
    if (!language) {
      const details = [{ field: 'language', message: 'language is required' }];
      throw new Fault('VALIDATION_FAILED', { message: 'language is required', details });
    }
    const openLine: OpenLine = ({ signal, timeoutMs }) => {
      const wish = { language, sampleRate, encoding };
      return inCall(newcomer, () => this.bus.open(openTranscription, wish, { timeoutMs }), signal);
    };
    return this.talk(newcomer, stage, { openLine, start, kinds: ['STT_API'], payer: {} });
  }

  private talk({ principal, requestId }: Newcomer, stage: Stage, { openLine, start, kinds, payer }: Wanted): SpokenTalk {
    const { charging, log } = this;
    return new SpokenTalk(stage, {
      openLine,
      bytesPerSecond: bytesPerSecond(start),
      meterFor: (onExhausted) => new SessionMeter(charging, { principal, requestId, ...payer }, { kinds, log, onExhausted }),
    });
  }
}

interface Asker {
  readonly principal: Principal;
  readonly requestId: string;
}

interface Spoken {
  readonly session: KnownSession;
  readonly start: SessionStart;
  readonly channel: 'VOICE' | 'WIDGET';
}

interface Wanted {
  readonly openLine: OpenLine;
  readonly start: SessionStart;
  readonly kinds: readonly CreditKind[];
  readonly payer: { readonly agentId?: number; readonly agentKeyId?: string };
}

const never = new AbortController().signal;

/** Asks in the name of whoever is at the other end of the socket. */
function inCall<T>({ principal, requestId }: Asker, work: () => T, signal = never): T {
  return runInCall({ principal, requestId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}
