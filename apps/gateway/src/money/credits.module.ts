import { type DynamicModule, Module } from '@nestjs/common';
import { Charging, CreditCharging } from './charging';
import { CreditBook, CreditTerms } from './credit-book';
import type { CreditVariables } from './credit-variables';
import { ChargesController, CreditsController } from './credits.controller';
import { CreditsService } from './credits.service';
import { HoldSweeper } from './hold-sweeper';
import { OperatorPrices } from './operator-prices';
import { WidgetBudgets } from './widget-budgets';
import { SessionMetersController } from './session-meter';

/** Credits: what the door charges by, and what people see of it. */
@Module({})
export class CreditsModule {
  static with({
    PARLEY_INITIAL_CREDITS,
    CREDITS_LOW_AT,
    CREDIT_TOKENS_PER_TURN,
    CREDIT_HOLD_TIME,
    CREDIT_PRICES,
    ORGANIZATION_CREDIT_PRICES,
  }: CreditVariables): DynamicModule {
    const terms: CreditTerms = {
      initialCredits: PARLEY_INITIAL_CREDITS,
      lowAt: CREDITS_LOW_AT,
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
        WidgetBudgets,
        { provide: Charging, useClass: CreditCharging },
      ],
      exports: [Charging, CreditBook, CreditTerms, OperatorPrices, WidgetBudgets],
    };
  }
}
