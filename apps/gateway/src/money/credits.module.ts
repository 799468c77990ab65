import { Controller, type DynamicModule, Module } from '@nestjs/common';
import {
  type BodyOf,
  exportCreditUsage,
  extendCharge,
  Fault,
  getCreditBalance,
  listCreditUsage,
  setCreditAlerts,
  setCreditPrice,
  settleCharge,
  topUpCredits,
} from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { FileStoreVariables } from '@parley/providers/configured-files';
import { csvRow, OrganizationTimeZones } from '@parley/service-kit';
import type { z } from 'zod';
import { archiveOf, type Book } from '../archive/archive';
import { Charging, CreditCharging } from './charging';
import { CreditBook, CreditTerms } from './credit-book';
import { type CreditVariables, OperatorPrices } from './credit-variables';
import { CreditsService, type UsageRow } from './credits.service';
import { HoldSweeper } from './hold-sweeper';
import { budgetUsedUp, WidgetBudgets } from './widget-budgets';
import { SessionMetersController } from './session-meter';
import { type Amounts, exhausted, type Hold, totalOf } from './operation';

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

/** Handles requests about credits from the gateway's own routes and from other services. */
@Controller()
class CreditsController {
  constructor(
    private readonly credits: CreditsService,
    private readonly terms: CreditTerms,
  ) {}

  @Handles(getCreditBalance)
  async balance(_body: object, call: Call) {
    return { balances: await this.credits.balances(organizationOf(call)) };
  }

  @Handles(topUpCredits)
  topUp(body: BodyOf<typeof topUpCredits>, call: Call) {
    // The operator's command asks as the system; whatever comes through the route has a key's principal.
    if (this.terms.topUps === 'operator' && call.principal?.kind !== 'system')
      throw new Fault('SCOPE_MISSING', {
        message: 'Credits are added by the operator of this platform (CREDIT_TOP_UPS), not by an organization: ask the operator.',
      });
    return this.credits.topUp(body, call);
  }

  @Handles(setCreditAlerts)
  async alerts(body: BodyOf<typeof setCreditAlerts>, call: Call) {
    await this.credits.setAlerts(body, organizationOf(call));
    return body;
  }

  /** Customers do not set their own prices. The route stays, so that clients get that answer instead of an unknown route. */
  @Handles(setCreditPrice)
  price(): never {
    throw new Fault('SCOPE_MISSING', {
      message: 'Prices are set by the operator of this platform (CREDIT_PRICES), not by an organization. The balance shows them.',
    });
  }

  @Handles(listCreditUsage)
  async usage(body: BodyOf<typeof listCreditUsage>, call: Call) {
    const { pageNo, pageSize } = body;
    return { ...(await this.credits.usage(body, call)), pageNo, pageSize };
  }

  @Handles(exportCreditUsage)
  async *export(body: BodyOf<typeof exportCreditUsage>, call: Call) {
    // The header is sent together with the first lines: until those are read, the request can still be refused with a status.
    let header = csvRow(columns);
    for await (const rows of this.credits.allUsage(body, call)) {
      yield { csv: header + rows.map((row) => csvRow(columns.map((column) => row[column]))).join('') };
      header = '';
    }
  }
}

type Extension = BodyOf<typeof extendCharge>;
type TurnsPayment = NonNullable<Extension['opens']>;
type SettleBody = BodyOf<typeof settleCharge>;

const settlePatienceMs = 8_000;
/** A spoken turn ends within two minutes; the hold of one whose services have died is not kept for longer than needed. */
const spokenTurnHoldMs = 180_000;
const openPatienceMs = 5_000;
/** A gateway that is still alive has settled its charges long before. */
const cutOffHoldMs = 60_000;

/** Charges that this or another gateway opened, for the services that spend on them. */
@Controller()
class ChargesController {
  constructor(
    private readonly book: CreditBook,
    private readonly terms: CreditTerms,
    private readonly budgets: WidgetBudgets,
  ) {}

  @Handles(extendCharge)
  async extend(extension: Extension, call: Call) {
    if (extension.opens) return this.open(extension, extension.opens, call);
    const { chargeId, usage, used, tokensMin, isCutOff } = extension;
    const { holdMs } = this.terms;
    const expiresAtMs = Date.now() + (isCutOff ? Math.min(cutOffHoldMs, holdMs) : holdMs);
    const raise = used && { used: amountsOf(used), isRaise: true };
    const estimate = amountsOf(usage);
    const orgId = organizationOf(call);
    const { TTT_API: wanted = 0 } = estimate;
    const missing = wanted - (tokensMin ?? wanted);
    const credits = totalOf(estimate);
    const hold: Hold = { type: 'hold', orgId, id: chargeId, estimate, expiresAtMs, ...raise };
    const [held, ofBudget] = await Promise.all([
      this.book.holdUpTo(hold, { kind: 'TTT_API', amountMin: wanted - missing }),
      this.budgets.raise(orgId, chargeId, { credits, creditsMin: credits - missing, used: totalOf(raise ? raise.used : {}) }),
    ]);
    if (typeof held !== 'number') throw exhausted(held.kind, held);
    return { chargeId, tokens: Math.min(held, wanted - (credits - ofBudget)) };
  }

  /** Opens the hold of a turn that is spoken; of tokens only, since the session pays for its sound. */
  private async open({ chargeId, usage, tokensMin }: Extension, { widget }: TurnsPayment, call: Call) {
    const orgId = organizationOf(call);
    const { TTT_API: wanted = 0 } = amountsOf(usage);
    const isPatient = tokensMin !== undefined;
    const ofBudget = widget ? await this.budgets.hold({ orgId, ...widget }, chargeId, wanted, { isPatient }) : wanted;
    try {
      if (ofBudget < Math.min(wanted, tokensMin ?? wanted)) throw budgetUsedUp();
      const expiresAtMs = Date.now() + Math.min(spokenTurnHoldMs, this.terms.holdMs);
      const hold: Hold = { type: 'hold', orgId, id: chargeId, estimate: { TTT_API: ofBudget }, expiresAtMs, isNew: true };
      const tokens = await this.held(hold, isPatient ? Math.min(tokensMin, ofBudget) : undefined, call.signal);
      // The turn was withdrawn meanwhile, and whoever paid for it may have ended its charge before there was a hold.
      if (call.signal.aborted) await this.book.do({ type: 'release', orgId, id: chargeId, onlyExpired: false }, settlePatienceMs);
      call.signal.throwIfAborted();
      return { chargeId, tokens };
    } catch (error) {
      if (widget) await this.budgets.end(orgId, chargeId, 0);
      throw error;
    }
  }

  /** How many tokens a new hold gets: without `tokensMin` all of them, at once. */
  private async held(hold: Hold, tokensMin: number | undefined, signal: AbortSignal): Promise<number> {
    const { TTT_API: wanted = 0 } = hold.estimate;
    if (tokensMin === undefined) {
      const outcome = await this.book.do(hold, openPatienceMs);
      if (outcome.outcome === 'exhausted') throw exhausted(outcome.kind, outcome);
      return wanted;
    }
    const held = await this.book.holdUpTo(hold, { kind: 'TTT_API', amountMin: tokensMin, signal });
    if (typeof held !== 'number') throw exhausted(held.kind, held);
    return held;
  }

  @Handles(settleCharge)
  async settle({ chargeId, usage, AgentID: agentId }: SettleBody, call: Call) {
    const { requestId, principal } = call;
    const spender = { requestId, agentId, keyId: principal?.keyId };
    const [orgId, used] = [organizationOf(call), amountsOf(usage)];
    await Promise.all([
      this.book.do({ type: 'settle', orgId, id: chargeId, used, spender }, settlePatienceMs),
      this.budgets.end(orgId, chargeId, totalOf(used)),
    ]);
    return { chargeId };
  }
}

function amountsOf(usage: Extension['usage']): Amounts {
  return Object.fromEntries(usage.map(({ kind, units }) => [kind, units]));
}

/** The ledger as it is archived: monthly sums stay, so that the books still balance without the lines. */
export function ledgerBook(months: number): Book {
  return { name: 'ledger', table: 'credit_ledger', id: 'seq', time: 'created_at', months, carry: sumUp };
}

const sumUp = `
  INSERT INTO credit_months AS kept (org_id, kind, month, granted, charged, unpaid, lines, balance_after)
  SELECT org_id, kind, $4::date, coalesce(sum(units) FILTER (WHERE units > 0), 0), coalesce(-sum(units) FILTER (WHERE units < 0), 0),
    sum(unpaid), count(*), (array_agg(balance_after ORDER BY seq DESC))[1]
  FROM credit_ledger WHERE org_id = $1 AND seq BETWEEN $2 AND $3 GROUP BY org_id, kind
  ON CONFLICT (org_id, kind, month) DO UPDATE SET granted = kept.granted + excluded.granted,
    charged = kept.charged + excluded.charged, unpaid = kept.unpaid + excluded.unpaid,
    lines = kept.lines + excluded.lines, balance_after = excluded.balance_after`;

/** Credits: charging, balances and the ledger. */
@Module({})
export class CreditsModule {
  static with({
    PARLEY_INITIAL_CREDITS,
    CREDITS_LOW_AT,
    CREDIT_TOP_UPS,
    CREDIT_TOKENS_PER_TURN,
    CREDIT_HOLD_TIME,
    CREDIT_PRICES,
    ORGANIZATION_CREDIT_PRICES,
    LEDGER_MONTHS,
    ...files
  }: CreditVariables & z.output<typeof FileStoreVariables>): DynamicModule {
    const terms: CreditTerms = {
      initialCredits: PARLEY_INITIAL_CREDITS,
      lowAt: CREDITS_LOW_AT,
      topUps: CREDIT_TOP_UPS,
      tokensPerTurn: CREDIT_TOKENS_PER_TURN,
      holdMs: CREDIT_HOLD_TIME,
      prices: CREDIT_PRICES,
      organizationPrices: ORGANIZATION_CREDIT_PRICES,
    };
    return {
      module: CreditsModule,
      controllers: [ChargesController, CreditsController, SessionMetersController],
      providers: [
        { provide: CreditTerms, useValue: terms },
        CreditBook,
        CreditsService,
        HoldSweeper,
        OperatorPrices,
        OrganizationTimeZones,
        WidgetBudgets,
        archiveOf(ledgerBook(LEDGER_MONTHS), files),
        { provide: Charging, useClass: CreditCharging },
      ],
      exports: [Charging, CreditBook, CreditTerms, OperatorPrices],
    };
  }
}
