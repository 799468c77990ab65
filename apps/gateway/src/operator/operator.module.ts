import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { OperatorActions } from './operator-actions';
import { OperatorTerms } from './operator-terms';
import { OperatorTermsController } from './operator-terms.controller';

/** What only the operator's command may ask of the gateway: what they set, and the list of what they did. */
@Module({})
export class OperatorModule {
  /** `imports` provide ActionTrail, CreditTerms and OperatorPrices. */
  static with(imports: (Type | DynamicModule)[]): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: [OperatorActions, OperatorTermsController],
      providers: [OperatorTerms],
    };
  }
}
