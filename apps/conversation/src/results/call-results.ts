import { Controller, Injectable } from '@nestjs/common';
import { type AgentRuntime, extractCallResult, Fault, type ResultSchema } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type LanguageModel, ProviderFailure } from '@parley/ports';
import { dayOf } from '@parley/service-kit';
import { Agents } from '../agents/agents';
import type { BodyOf, ReplyOf } from '../message-types';
import { Models } from '../models/configured-models';
import type { Session } from '../sessions/session.entity';
import { visibleSession } from '../sessions/sessions';
import { isRemembered, type PastTurn } from '../prompts/memory';
import { askedResult, type Extraction } from './asked-result';
import { saidResult } from './said-result';

type Turn = Pick<PastTurn, 'question' | 'answer'>;

const turnsReadMax = 1_000;
const lastTurns = `
  SELECT question, answer FROM (
    SELECT turns.id, question, answer FROM turns JOIN sessions ON sessions.id = session_id
    WHERE session_id = $1 AND ${isRemembered} ORDER BY turns.id DESC LIMIT $2) AS latest
  ORDER BY id`;

/** What was learned from conversations that are over: by the agent's model, or by rules where it has none that reads. */
@Injectable()
export class CallResults {
  constructor(
    private readonly tenants: TenantScope,
    private readonly agents: Agents,
    private readonly models: Models,
  ) {}

  async extract({ sessionUUID, ResultSchema: schema }: BodyOf<typeof extractCallResult>, call: Call): Promise<Extraction> {
    const { session, turns } = await this.read(sessionUUID, call);
    if (turns.every(({ question }) => question === '')) return { result: null, reason: 'The caller said nothing.', tokens: 0 };
    const agent = await this.agents.addressed(call, { AgentID: session.agentId });
    const model = await this.modelOf(agent, call);
    if (!model) {
      const today = dayOf(session.createdOn, agent.timezone);
      return withReason({ result: saidResult(schema, { turns, today }), reason: null, tokens: 0 }, schema);
    }
    try {
      return withReason(await askedResult(model, { schema, turns, signal: call.signal }), schema);
    } catch (error) {
      if (error instanceof ProviderFailure) throw new Fault('MODEL_PROVIDER_UNAVAILABLE', { cause: error });
      throw error;
    }
  }

  private read(sessionUUID: string, call: Call): Promise<{ readonly session: Session; readonly turns: readonly Turn[] }> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const session = await visibleSession(manager, sessionUUID, call);
      return { session, turns: await manager.query<Turn[]>(lastTurns, [session.id, turnsReadMax]) };
    });
  }

  /** None where none is configured, or only one that quotes. */
  private async modelOf(agent: AgentRuntime, call: Call): Promise<LanguageModel | undefined> {
    try {
      const model = await this.models.of(agent, organizationOf(call));
      return model.capabilities.isExtractive ? undefined : model;
    } catch (error) {
      if (error instanceof Fault && error.code === 'PROVIDER_NOT_CONFIGURED') return undefined;
      throw error;
    }
  }
}

/** What every result should have and nobody said is null all the same, and named. */
function withReason(extraction: Extraction, { required }: ResultSchema): Extraction {
  const { result } = extraction;
  if (!result) return extraction;
  const missing = required.filter((name) => Object.hasOwn(result, name) && result[name] === null);
  return missing.length === 0 ? extraction : { ...extraction, reason: `Required, but not said: ${missing.join(', ')}.` };
}

/** Results over the bus, to services only. */
@Controller()
export class CallResultsController {
  constructor(private readonly results: CallResults) {}

  @Handles(extractCallResult)
  extract(body: BodyOf<typeof extractCallResult>, call: Call): Promise<ReplyOf<typeof extractCallResult>> {
    if (call.principal?.kind !== 'system') throw new Fault('SCOPE_MISSING');
    return this.results.extract(body, call);
  }
}
