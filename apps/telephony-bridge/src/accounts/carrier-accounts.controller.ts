import { Controller } from '@nestjs/common';
import {
  deleteCarrierAccount,
  listCarrierAccounts,
  listCarriers,
  saveCarrierAccount,
  sealCarrierAccounts,
  testCarrierAccount,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf, requireOperator } from '@parley/messaging';
import { CarrierAccounts } from './carrier-accounts.service';
import { CarrierSeals } from './carrier-seals';

type Save = HandlerOf<typeof saveCarrierAccount>;
type List = HandlerOf<typeof listCarrierAccounts>;
type Test = HandlerOf<typeof testCarrierAccount>;
type Delete = HandlerOf<typeof deleteCarrierAccount>;
type Carriers = HandlerOf<typeof listCarriers>;

/** Carrier accounts over the bus. */
@Controller()
export class CarrierAccountsController {
  constructor(
    private readonly accounts: CarrierAccounts,
    private readonly seals: CarrierSeals,
  ) {}

  @Handles(saveCarrierAccount)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.accounts.save(wanted, call);
  }

  @Handles(listCarrierAccounts)
  list(_: object, call: Call): ReturnType<List> {
    return this.accounts.list(call);
  }

  @Handles(testCarrierAccount)
  test({ CarrierAccountKeyID }: Parameters<Test>[0], call: Call): ReturnType<Test> {
    return this.accounts.test(CarrierAccountKeyID, call);
  }

  @Handles(deleteCarrierAccount)
  delete({ CarrierAccountKeyID }: Parameters<Delete>[0], call: Call): ReturnType<Delete> {
    return this.accounts.delete(CarrierAccountKeyID, call);
  }

  @Handles(sealCarrierAccounts)
  sealAgain(_: object, call: Call) {
    requireOperator(call);
    return this.seals.sealAll();
  }

  @Handles(listCarriers)
  carriers(): ReturnType<Carriers> {
    return this.accounts.carriersKnown();
  }
}
