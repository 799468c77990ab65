import { Controller, Inject, Injectable } from '@nestjs/common';
import {
  deleteProviderKey,
  Fault,
  invalidFields,
  listProviderKeys,
  providerKeyChanged,
  readProviderSecret,
  sealProviderKeys,
  setProviderKey,
  testProviderKey,
  holdsNoPassword,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, requireOperator, wholeOrganizationOf } from '@parley/messaging';
import type { KeyCheck } from '@parley/providers/language-model-catalogue';
import { type AskPublicServer, publicAddresses, whyRefused } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { SecretStore } from '../secrets/secret-store';
import { findProvider, keyCheckOf, type KeyTestResult, providerKeyOf, PublicServers, tryKey } from './catalogue';
import { type Provider, ProviderKey, type ProviderKind } from './provider-settings';

type SetProviderKeyRequest = z.output<typeof setProviderKey.request>;
type TestWanted = z.output<typeof testProviderKey.request>;
type ReadProviderSecretRequest = z.output<typeof readProviderSecret.request>;
type PublicKey = z.input<typeof listProviderKeys.reply>[number];

interface StoredAccess {
  readonly key: string;
  readonly baseURL: string | null;
  readonly model: string | null;
}

const shownKeyLengthMin = 12;

const notItsAddress = {
  field: 'baseURL',
  message: 'baseURL is not where the stored key is sent: to test another address, send a key with it',
};

/** The organizations' own provider keys. */
@Injectable()
export class ProviderKeys {
  constructor(
    private readonly tenants: TenantScope,
    private readonly secrets: SecretStore,
    private readonly outbox: Outbox,
    @Inject(PublicServers) private readonly ask: AskPublicServer,
  ) {}

  /** Setting a key again replaces it; the new one counts as untested. Its server and model stay unless they are sent. */
  async set({ providerKind, providerID: providerId, key, ...sent }: SetProviderKeyRequest, call: Call): Promise<PublicKey> {
    const orgId = wholeOrganizationOf(call, 'Provider keys');
    const check = checkOf(providerKind, providerId);
    if (sent.baseURL) await requireReach(addressOf(check, sent.baseURL));
    return this.tenants.run(orgId, async (manager) => {
      // Serialized: two concurrent requests would not know whose old secret to delete.
      await manager.query("SELECT pg_advisory_xact_lock(hashtext('provider_keys'), $1)", [orgId]);
      const before = await manager.findOneBy(ProviderKey, { orgId, providerKind, providerId });
      const { baseURL = before?.baseUrl ?? null, model = before?.model ?? null } = sent;
      addressOf(check, baseURL);
      if (check.isModelRequired && model === null)
        throw invalidFields([{ field: 'model', message: 'model is required for this provider' }]);
      const secretId = await this.secrets.put(manager, orgId, key);
      const fresh = {
        orgId,
        providerKind,
        providerId,
        secretId,
        lastFour: lastFourOf(key),
        baseUrl: baseURL,
        model,
        lastTestedOn: null,
        isWorking: null,
      };
      await manager.upsert(ProviderKey, fresh, ['orgId', 'providerKind', 'providerId']);
      if (before) await this.secrets.forget(manager, orgId, before.secretId);
      await this.outbox.add(manager, providerKeyChanged, { orgId, payload: { providerKind, providerID: providerId } });
      return publicProviderKey(await manager.findOneByOrFail(ProviderKey, { orgId, providerKind, providerId }));
    });
  }

  list(call: Call): Promise<PublicKey[]> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const keys = await manager.find(ProviderKey, { where: { orgId }, order: { id: 'ASC' } });
      return keys.map(publicProviderKey);
    });
  }

  delete(keyId: string, call: Call): Promise<PublicKey> {
    const orgId = wholeOrganizationOf(call, 'Provider keys');
    return this.tenants.run(orgId, async (manager) => {
      const key = await manager.findOneBy(ProviderKey, { orgId, keyId });
      if (!key) throw new Fault('NOT_FOUND', { message: 'There is no such provider key.' });
      await manager.delete(ProviderKey, { id: key.id });
      await this.secrets.forget(manager, orgId, key.secretId);
      const { providerKind, providerId: providerID } = key;
      await this.outbox.add(manager, providerKeyChanged, { orgId, payload: { providerKind, providerID } });
      return publicProviderKey(key);
    });
  }

  /** Tests the key that was sent, or else the stored one, and records the result with the stored one. */
  async test({ providerKind, providerID, key, baseURL }: TestWanted, call: Call): Promise<KeyTestResult> {
    const orgId = organizationOf(call);
    const check = checkOf(providerKind, providerID);
    const stored = key === undefined ? await this.stored(orgId, { providerKind, providerID }) : null;
    const plain = key ?? stored?.key;
    if (plain === undefined) {
      throw new Fault('PROVIDER_NOT_CONFIGURED', {
        message: 'The organization has no key of this provider: send one in `key`, or set it.',
      });
    }
    // A stored key is sent only to the address it was stored with, so of another it would not be known whether it works.
    const baseUrl = addressOf(check, stored ? stored.baseURL : (baseURL ?? null));
    if (stored && baseURL && new URL(baseURL).href !== new URL(baseUrl).href) throw invalidFields([notItsAddress]);
    const result = await tryKey(this.ask, { check, baseUrl, key: plain, signal: call.signal });
    if (stored) await this.remember(orgId, { providerKind, providerID }, result);
    return result;
  }

  /** The key for the services that talk to providers. */
  async stored(orgId: number, { providerKind, providerID: providerId }: ReadProviderSecretRequest): Promise<StoredAccess | null> {
    return this.tenants.read(orgId, async (manager) => {
      const found = await manager.findOneBy(ProviderKey, { orgId, providerKind, providerId });
      const key = found && (await this.openedSecret(manager, found));
      return found && key ? { key, baseURL: found.baseUrl, model: found.model } : null;
    });
  }

  private async openedSecret(manager: EntityManager, { orgId, secretId }: ProviderKey): Promise<string | undefined> {
    return (await this.secrets.open(manager, orgId, [secretId])).get(secretId);
  }

  private async remember(
    orgId: number,
    { providerKind, providerID: providerId }: ReadProviderSecretRequest,
    { isWorking }: KeyTestResult,
  ): Promise<void> {
    const outcome = { lastTestedOn: new Date(), isWorking };
    await this.tenants.run(orgId, (manager) => manager.update(ProviderKey, { orgId, providerKind, providerId }, outcome));
  }
}

/** Even four characters would reveal too much of a short key. */
function lastFourOf(key: string): string {
  return key.length >= shownKeyLengthMin ? key.slice(-4) : '';
}

function checkOf(kind: ProviderKind, id: number): KeyCheck {
  const provider: Provider | undefined = findProvider(kind, id);
  const check = provider && keyCheckOf(kind, provider.name);
  if (!check) throw new Fault('NOT_FOUND', { message: 'There is no such provider that accepts a key.' });
  return check;
}

function addressOf({ baseUrl }: KeyCheck, chosen: string | null): string {
  const address = chosen ?? baseUrl;
  if (address === null) throw invalidFields([{ field: 'baseURL', message: 'baseURL is required for this provider' }]);
  if (new URL(address).protocol !== 'https:')
    throw invalidFields([{ field: 'baseURL', message: 'baseURL must begin with https://' }]);
  if (!holdsNoPassword(address))
    throw invalidFields([{ field: 'baseURL', message: 'baseURL must hold no user name and no password' }]);
  return address;
}

/** An address that every request would refuse is already refused when it is saved. */
async function requireReach(baseURL: string): Promise<void> {
  const refusal = await whyRefused(publicAddresses, new URL(baseURL));
  if (refusal !== undefined) throw invalidFields([{ field: 'baseURL', message: `baseURL cannot be called: ${refusal}` }]);
}

/** A provider key as clients read it: without the key. */
function publicProviderKey(key: ProviderKey): z.input<typeof listProviderKeys.reply>[number] {
  return {
    ProviderCredentialKeyID: key.keyId,
    ProviderCredentialID: key.id,
    providerKind: key.providerKind,
    providerKeyID: providerKeyOf(key.providerKind, key.providerId),
    providerID: key.providerId,
    lastFour: key.lastFour,
    baseURL: key.baseUrl,
    model: key.model,
    lastTestedOn: key.lastTestedOn?.toISOString() ?? null,
    isWorking: key.isWorking,
    CreatedOn: key.createdOn.toISOString(),
  };
}

type Set = HandlerOf<typeof setProviderKey>;
type TestProviderKeyHandler = HandlerOf<typeof testProviderKey>;
type ListProviderKeysHandler = HandlerOf<typeof listProviderKeys>;
type DeleteProviderKeyHandler = HandlerOf<typeof deleteProviderKey>;
type ReadSecret = HandlerOf<typeof readProviderSecret>;

/** The organizations' own provider keys, over the bus. */
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
  test(wanted: Parameters<TestProviderKeyHandler>[0], call: Call): ReturnType<TestProviderKeyHandler> {
    return this.keys.test(wanted, call);
  }

  @Handles(listProviderKeys)
  list(_: object, call: Call): ReturnType<ListProviderKeysHandler> {
    return this.keys.list(call);
  }

  @Handles(deleteProviderKey)
  delete({ ProviderCredentialKeyID }: Parameters<DeleteProviderKeyHandler>[0], call: Call): ReturnType<DeleteProviderKeyHandler> {
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
