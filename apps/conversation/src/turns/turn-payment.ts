import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { extendCharge, Fault, settleCharge, type TurnPayment as Terms } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { Draft } from './draft';

/** A gateway that died is started again meanwhile, or another one settles. */
const settleWithinMs = 60_000;
const askAgainMs = 500;
const never = new AbortController().signal;

/** What a turn spends of other people's credits: nothing beyond what is held for it, and nothing that nobody pays. */
@Injectable()
export class TurnPayment {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /** Before the turn's tokens may come to so many, they are held; CREDITS_EXHAUSTED where there are not so many. */
  async afford(draft: Draft, tokens: number): Promise<void> {
    const { terms, tokensHeld } = draft.payment;
    if (!terms || tokens <= tokensHeld) return;
    await this.bus.ask(extendCharge, { chargeId: terms.chargeId, usage: [{ kind: 'TTT_API', units: tokens }] });
    draft.payment.tokensHeld = tokens;
  }

  /** Charges a turn that did not come to its end: its reader may be gone, and the gateway with it. Nobody waits for it. */
  settle(draft: Draft, AgentID: number, { requestId, principal }: Call): void {
    const { terms } = draft.payment;
    const usage = draft.usedCredits;
    if (!terms?.isSettledByTurn || usage.length === 0) return;
    const call = { requestId, deadlineAtMs: Date.now() + settleWithinMs, signal: never, ...(principal && { principal }) };
    const body = { chargeId: terms.chargeId, usage, AgentID };
    void runInCall(call, () => this.settled(body, call.deadlineAtMs)).catch((error: unknown) =>
      this.log.error('What a turn produced could not be charged', { requestId, usage, error }),
    );
  }

  private async settled(
    body: { chargeId: string; usage: Draft['usedCredits']; AgentID: number },
    untilMs: number,
  ): Promise<void> {
    for (;;) {
      try {
        return void (await this.bus.ask(settleCharge, body));
      } catch (error) {
        const isPassing = error instanceof Fault && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
        if (!isPassing || Date.now() + askAgainMs > untilMs) throw error;
        await delay(askAgainMs);
      }
    }
  }
}

/** The terms of one turn, and how many tokens are held for it by now. */
export interface Paid {
  readonly terms: Terms | undefined;
  tokensHeld: number;
}
