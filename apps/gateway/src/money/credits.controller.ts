import { Controller } from '@nestjs/common';
import {
  exportCreditUsage,
  Fault,
  getCreditBalance,
  listCreditUsage,
  type Principal,
  setCreditAlerts,
  setCreditPrice,
  topUpCredits,
} from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { csvLine } from '@parley/service-kit';
import type { z } from 'zod';
import { CreditsService } from './credits.service';
import type { UsageRow } from './usage-rows';

const columns = [
  'CreditEntryID',
  'CreatedOn',
  'kind',
  'entry',
  'units',
  'unpaidUnits',
  'balanceAfter',
  'AgentKeyID',
  'AgentID',
  'IntegrationKeyID',
  'requestId',
  'note',
] as const satisfies readonly (keyof UsageRow)[];

type Body<Contract extends { request: z.ZodType }> = z.output<Contract['request']>;

/** Answers for credits on the bus, to the gateway's own routes as to everybody else. */
@Controller()
export class CreditsController {
  constructor(private readonly credits: CreditsService) {}

  @Handles(getCreditBalance)
  async balance(_body: object, call: Call) {
    return { balances: await this.credits.balances(organizationOf(call)) };
  }

  @Handles(topUpCredits)
  topUp(body: Body<typeof topUpCredits>, call: Call) {
    return this.credits.topUp(body, callerOf(call), call.requestId);
  }

  @Handles(setCreditAlerts)
  async alerts(body: Body<typeof setCreditAlerts>, call: Call) {
    await this.credits.setAlerts(body, organizationOf(call));
    return body;
  }

  /** Whoever pays a price does not set it. The route stays, so that clients are told so and not that it is unknown. */
  @Handles(setCreditPrice)
  price(): never {
    throw new Fault('SCOPE_MISSING', {
      message: 'Prices are set by the operator of this platform (CREDIT_PRICES), not by a workspace. The balance shows them.',
    });
  }

  @Handles(listCreditUsage)
  async usage(body: Body<typeof listCreditUsage>, call: Call) {
    const { pageNo, pageSize } = body;
    return { ...(await this.credits.usage(body, organizationOf(call))), pageNo, pageSize };
  }

  @Handles(exportCreditUsage)
  async *export(body: Body<typeof exportCreditUsage>, call: Call) {
    // The header goes with the first lines: until they are read, a refusal can still be a proper answer.
    let header = csvLine(columns);
    for await (const rows of this.credits.allUsage(body, organizationOf(call))) {
      yield { csv: header + rows.map((row) => csvLine(columns.map((column) => row[column]))).join('') };
      header = '';
    }
  }
}

function callerOf({ principal }: Call): Principal {
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return principal;
}
