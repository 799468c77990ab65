import { Controller } from '@nestjs/common';
import {
  deleteProviderKey,
  listProviderKeys,
  readProviderSecret,
  sealProviderKeys,
  setProviderKey,
  testProviderKey,
} from '@parley/contracts';
import { type Call, type HandlerOf, Handles, organizationOf, requireOperator } from '@parley/messaging';
import { SecretStore } from '../secrets/secret-store';
import { ProviderKeys } from './provider-keys.service';

type Set = HandlerOf<typeof setProviderKey>;
type Test = HandlerOf<typeof testProviderKey>;
type List = HandlerOf<typeof listProviderKeys>;
type Delete = HandlerOf<typeof deleteProviderKey>;
type ReadSecret = HandlerOf<typeof readProviderSecret>;

/** The organizations' own keys over the bus. */
@Controller()
export class ProviderKeysController {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly secrets: SecretStore,
  ) {}

  @Handles(setProviderKey)
  set(wanted: Parameters<Set>[0], call: Call): ReturnType<Set> {
    return this.keys.set(wanted, call);
  }

  @Handles(testProviderKey)
  test(wanted: Parameters<Test>[0], call: Call): ReturnType<Test> {
    return this.keys.test(wanted, call);
  }

  @Handles(listProviderKeys)
  list(_: object, call: Call): ReturnType<List> {
    return this.keys.list(call);
  }

  @Handles(deleteProviderKey)
  delete({ ProviderCredentialKeyID }: Parameters<Delete>[0], call: Call): ReturnType<Delete> {
    return this.keys.delete(ProviderCredentialKeyID, call);
  }

  @Handles(readProviderSecret)
  async readSecret(choice: Parameters<ReadSecret>[0], call: Call): Promise<Awaited<ReturnType<ReadSecret>>> {
    return { secret: await this.keys.stored(organizationOf(call), choice) };
  }

  @Handles(sealProviderKeys)
  sealAgain(_: object, call: Call) {
    requireOperator(call);
    return this.secrets.sealAll();
  }
}
