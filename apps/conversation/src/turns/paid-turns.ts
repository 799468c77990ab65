import { Controller, Injectable } from '@nestjs/common';
import { Fault, readPaidTurns } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';

interface Recorded {
  readonly orgId: number;
  readonly chargeId: string;
  readonly AgentID: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly audioSeconds: number;
}

// A turn that is paid for has the id of its charge.
const ended = `
  SELECT turns.org_id AS "orgId", turns.turn_uuid AS "chargeId", sessions.agent_id AS "AgentID", turns.prompt_tokens AS "promptTokens",
    turns.completion_tokens AS "completionTokens", turns.audio_seconds AS "audioSeconds"
  FROM unnest($1::int[], $2::uuid[]) AS charge (org_id, id)
  JOIN turns ON turns.turn_uuid = charge.id AND turns.org_id = charge.org_id JOIN sessions ON sessions.id = turns.session_id
  WHERE turns.status = 'COMPLETED'
    OR turns.status NOT IN ('RUNNING', 'LOST') AND turns.prompt_tokens + turns.completion_tokens + turns.audio_seconds > 0`;

/** What turns used, for the ledger, when nobody lived to enter it. */
@Injectable()
export class PaidTurns {
  constructor(private readonly tenants: TenantScope) {}

  async read({ charges }: BodyOf<typeof readPaidTurns>): Promise<ReplyOf<typeof readPaidTurns>> {
    const values = [charges.map(({ orgId }) => orgId), charges.map(({ chargeId }) => chargeId)];
    const statement = { name: 'read-paid-turns', text: ended, values };
    const turns = await this.tenants.acrossTenantsOnce<Recorded>('charges of every organization are settled', statement);
    return {
      turns: turns.map(({ promptTokens, completionTokens, ...turn }) => {
        return { ...turn, tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens } };
      }),
    };
  }
}

/** The same over the bus, to services only. */
@Controller()
export class PaidTurnsController {
  constructor(private readonly turns: PaidTurns) {}

  @Handles(readPaidTurns)
  read(body: BodyOf<typeof readPaidTurns>, { principal }: Call): Promise<ReplyOf<typeof readPaidTurns>> {
    if (principal && principal.kind !== 'system') throw new Fault('SCOPE_MISSING');
    return this.turns.read(body);
  }
}
