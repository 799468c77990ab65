import { Controller, Injectable } from '@nestjs/common';
import {
  agentChanged,
  agentDeleted,
  type AgentRuntime,
  type BodyOf,
  type ConversationChannel,
  Fault,
  isTelephoneCall,
  type Principal,
  readAgentRuntime,
  type SpeechLanguage,
} from '@parley/contracts';
import { detectLanguage, type HeardLanguage } from '@parley/language';
import { type Call, Hears, maySee, organizationOf, ServiceBus } from '@parley/messaging';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

/** The agent a caller means: by its public id, or by the id that a session has. */
export interface AgentChoice {
  readonly AgentKeyID?: string | undefined;
  readonly AgentID?: number | undefined;
}

const rememberedMax = 1000;
/** Bounds how long an agent answers with its previous version if the event of a change is missed. */
const rememberedMs = 3000;

/** Reads agents from their service, and caches them briefly. */
@Injectable()
export class Agents {
  private readonly remembered = new LRUCache<string, Promise<AgentRuntime>>({
    max: rememberedMax,
    ttl: rememberedMs,
    ttlResolution: 0,
  });

  constructor(private readonly bus: ServiceBus) {}

  /** The agent that the caller addresses. NOT_FOUND if it is unknown, another organization's or not allowed. */
  async addressed(call: Call, choice: AgentChoice): Promise<AgentRuntime> {
    const { principal } = call;
    const runtime = await this.runtimeOf(organizationOf(call), {
      ...chosenBy(principal, choice),
      mayBeDeleted: isTelephoneCall(principal),
    });
    const isMeant = !choice.AgentKeyID || choice.AgentKeyID === runtime.AgentKeyID;
    if (!isMeant || !maySee(call, runtime.AgentID)) throw new Fault('NOT_FOUND', { message: 'There is no such agent.' });
    return runtime;
  }

  /** Throws if the caller's organization never had the agent, or the caller may not see it. A deleted agent is still known by its logs. */
  async requireKnown({
    AgentKeyID,
    AgentID,
  }: { readonly [Name in keyof AgentChoice]?: AgentChoice[Name] | null }): Promise<void> {
    if (!AgentKeyID && !AgentID) return;
    await this.bus.ask(readAgentRuntime, { ...(AgentKeyID && { AgentKeyID }), ...(AgentID && { AgentID }), mayBeDeleted: true });
  }

  forget(): void {
    this.remembered.clear();
  }

  private runtimeOf(orgId: number, choice: BodyOf<typeof readAgentRuntime>): Promise<AgentRuntime> {
    const name = `${orgId}/${choice.AgentID ?? choice.AgentKeyID}/${choice.mayBeDeleted}`;
    const known = this.remembered.get(name);
    if (known) return known;
    const runtime = this.bus.ask(readAgentRuntime, choice);
    this.remembered.set(name, runtime);
    runtime.catch(() => this.remembered.delete(name));
    return runtime;
  }
}

function chosenBy(principal: Principal | undefined, { AgentKeyID, AgentID }: AgentChoice): AgentChoice {
  if (principal?.kind === 'agt') return { AgentID: principal.agentId };
  if (AgentKeyID) return { AgentKeyID };
  if (AgentID) return { AgentID };
  throw new Fault('VALIDATION_FAILED', { details: [{ field: 'AgentKeyID', message: 'is required with this kind of key' }] });
}

/** Invalidates an agent on every replica, so that the next turn reads it again. */
@Controller()
export class AgentEventsController {
  constructor(private readonly agents: Agents) {}

  @Hears(agentChanged)
  changed(): void {
    this.agents.forget();
  }

  @Hears(agentDeleted)
  deleted(): void {
    this.agents.forget();
  }
}

/** The language in which an agent answers a question. */
export function answerLanguageOf(
  heard: HeardLanguage,
  { RuntimeConfiguration }: Pick<AgentRuntime, 'RuntimeConfiguration'>,
): SpeechLanguage {
  if (heard !== 'hinglish') return heard;
  return RuntimeConfiguration.HinglishAnswers === 'ENGLISH' ? 'english' : 'hindi';
}

interface Written {
  readonly agent: Pick<AgentRuntime, 'RuntimeConfiguration'>;
  readonly channel: z.output<typeof ConversationChannel>;
  /** The language of the answer, and the one detected. */
  readonly language: SpeechLanguage;
  readonly heard: HeardLanguage;
  readonly question: string;
}

/** Whether answers on a channel are spoken. */
export function isSpoken(channel: Written['channel']): boolean {
  return channel === 'VOICE' || channel === 'PHONE';
}

/** Whether a question in Hindi or Marathi is written, and should be answered, in Latin letters. */
export function isInLatinLetters({ agent, channel, language, heard, question }: Written): boolean {
  if (isSpoken(channel) || agent.RuntimeConfiguration.HinglishAnswers !== 'AS_WRITTEN') return false;
  if (heard === 'hinglish') return language === 'hindi';
  return language === 'marathi' && !/\p{Script=Devanagari}/u.test(question) && detectLanguage(question, language) === 'marathi';
}
