import { type DynamicModule, Module } from '@nestjs/common';
import { Charging, CreditCharging } from './charging';
import { CreditBook, CreditTerms } from './credit-book';
import type { CreditVariables } from './credit-variables';
import { CreditsController } from './credits.controller';
import { CreditsService } from './credits.service';
import { HoldSweeper } from './hold-sweeper';

/** Credits: what the door charges by, and what people see of it. */
@Module({})
export class CreditsModule {
  static with({ PARLEY_INITIAL_CREDITS, CREDITS_LOW_AT, CREDIT_TOKENS_PER_TURN, CREDIT_HOLD_TIME }: CreditVariables): DynamicModule {
    const terms: CreditTerms = {
      initialCredits: PARLEY_INITIAL_CREDITS,
      lowAt: CREDITS_LOW_AT,
      tokensPerTurn: CREDIT_TOKENS_PER_TURN,
      holdMs: CREDIT_HOLD_TIME,
    };
    return {
      module: CreditsModule,
      controllers: [CreditsController],
      providers: [
        { provide: CreditTerms, useValue: terms },
        CreditBook,
        CreditsService,
        HoldSweeper,
        { provide: Charging, useClass: CreditCharging },
      ],
      exports: [Charging, CreditBook],
    };
  }
}
