import type { listProviderKeys } from '@parley/contracts';
import type { z } from 'zod';
import type { ProviderKey } from './provider-key.entity';

/** A provider key as clients read it: without the key. */
export function publicProviderKey(key: ProviderKey): z.input<typeof listProviderKeys.reply>[number] {
  return {
    ProviderCredentialKeyID: key.keyId,
    ProviderCredentialID: key.id,
    providerKind: key.providerKind,
    providerID: key.providerId,
    lastFour: key.lastFour,
    baseURL: key.baseUrl,
    model: key.model,
    lastTestedOn: key.lastTestedOn?.toISOString() ?? null,
    isWorking: key.isWorking,
    CreatedOn: key.createdOn.toISOString(),
  };
}
