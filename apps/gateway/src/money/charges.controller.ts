import { Controller } from '@nestjs/common';
import { extendCharge, settleCharge } from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import { exhausted } from './charge';
import { CreditBook, CreditTerms } from './credit-book';
import type { Amounts } from './operation';

type Extension = Parameters<HandlerOf<typeof extendCharge>>[0];
type Settlement = Parameters<HandlerOf<typeof settleCharge>>[0];

const holdPatienceMs = 5_000;
const settlePatienceMs = 8_000;

/** Charges of requests that this or another gateway opened, as the services that spend on them see them. */
@Controller()
export class ChargesController {
  constructor(
    private readonly book: CreditBook,
    private readonly terms: CreditTerms,
  ) {}

  @Handles(extendCharge)
  async extend({ chargeId, usage }: Extension, call: Call) {
    const expiresAtMs = Date.now() + this.terms.holdMs;
    const hold = { type: 'hold', orgId: organizationOf(call), id: chargeId, estimate: amountsOf(usage), expiresAtMs } as const;
    const raised = await this.book.do(hold, holdPatienceMs);
    if (raised.outcome === 'exhausted') throw exhausted(raised.kind, raised);
    return { chargeId };
  }

  @Handles(settleCharge)
  async settle({ chargeId, usage, AgentID: agentId }: Settlement, call: Call) {
    const { requestId, principal } = call;
    const spender = { requestId, agentId, keyId: principal?.keyId };
    const settlement = { type: 'settle', orgId: organizationOf(call), id: chargeId, used: amountsOf(usage), spender } as const;
    await this.book.do(settlement, settlePatienceMs);
    return { chargeId };
  }
}

function amountsOf(usage: Extension['usage']): Amounts {
  return Object.fromEntries(usage.map(({ kind, units }) => [kind, units]));
}
