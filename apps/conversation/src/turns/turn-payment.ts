import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import { type BodyOf, extendCharge, Fault, readPaidTurns, type ReplyOf, settleCharge } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { Draft } from './draft';

/** A gateway that died is started again meanwhile, or another one settles. */
const settleWithinMs = 60_000;
const askAgainMs = 500;
const never = new AbortController().signal;

/** Keeps a turn within its customer's credits: nothing is spent beyond the hold, and nothing remains unpaid. */
@Injectable()
export class TurnPayment {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /**
   * Extends the hold before the turn's tokens exceed it; CREDITS_EXHAUSTED if there are not enough. While it waits, credits held
   * beyond those used may go to others.
   */
  async afford(draft: Draft, tokens: number, used: number): Promise<void> {
    const { terms, tokensHeld } = draft.payment;
    if (!terms || tokens <= tokensHeld) return;
    const amountOf = (units: number) => [{ kind: 'TTT_API' as const, units }];
    await this.bus.ask(extendCharge, { chargeId: terms.chargeId, usage: amountOf(tokens), used: amountOf(used) });
    draft.payment.tokensHeld = tokens;
  }

  /** Charges a turn that was cut off, or has it charged: its reader may be gone, and the gateway with it. Not awaited. */
  settle(draft: Draft, AgentID: number, { requestId, principal }: Call): void {
    const { terms } = draft.payment;
    const usage = draft.usedCredits;
    if (!terms || usage.length === 0) return;
    const { chargeId, isSettledByTurn, isOfAttempt } = terms;
    if (!isSettledByTurn && !isOfAttempt) return;
    const call = { requestId, deadlineAtMs: Date.now() + settleWithinMs, signal: never, ...(principal && { principal }) };
    const settling = async (): Promise<unknown> =>
      isOfAttempt
        ? this.bus.ask(extendCharge, { chargeId, usage, used: usage, isCutOff: true })
        : this.bus.ask(settleCharge, { chargeId, usage, AgentID });
    void runInCall(call, () => this.settled(settling, call.deadlineAtMs)).catch((error: unknown) =>
      this.log.error('The usage of a turn could not be charged', { requestId, usage, error }),
    );
  }

  private async settled(settling: () => Promise<unknown>, untilMs: number): Promise<void> {
    for (;;) {
      try {
        return void (await settling());
      } catch (error) {
        const isPassing = error instanceof Fault && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
        if (!isPassing || Date.now() + askAgainMs > untilMs) throw error;
        await delay(askAgainMs);
      }
    }
  }
}

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

/** Turns' usage, for the ledger, when the process that should have entered it died. */
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
