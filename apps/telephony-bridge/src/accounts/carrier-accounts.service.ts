import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  complaintsAbout,
  deleteCarrierAccount,
  Fault,
  listCarrierAccounts,
  listCarriers,
  ownWords,
  saveCarrierAccount,
  sealCarrierAccounts,
  testCarrierAccount,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, requireOperator, wholeOrganizationOf } from '@parley/messaging';
import { type Carrier, secretFieldsOf, within } from '@parley/ports';
import { Logger, SealedSecrets } from '@parley/service-kit';
import { type EntityManager, IsNull } from 'typeorm';
import { z } from 'zod';
import { CarrierCatalogue, OpenCarriers, PublicAddress, sealPlaceOf } from './open-carriers';
import { AccountPorts } from './account-ports';
import { isCountry } from './callable-numbers';
import { CarrierAccount, PhoneNumber } from './entities';

type SaveCarrierAccountRequest = z.output<typeof saveCarrierAccount.request>;
type PublicAccount = z.input<typeof listCarrierAccounts.reply>[number];
type PublicCarrier = z.input<typeof listCarriers.reply>[number];
type TestResult = z.input<typeof testCarrierAccount.reply>;

const accountsMax = 100;
/** Shorter than the caller's deadline, so that there is time to reply. */
const testMs = 5_000;
const lookAgainMs = 250;

/** Organizations' accounts with carriers. */
@Injectable()
export class CarrierAccounts {
  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly catalogue: CarrierCatalogue,
    private readonly carriers: OpenCarriers,
    private readonly address: PublicAddress,
    private readonly ports: AccountPorts,
  ) {}

  /** Every carrier, and the credentials it requires. */
  carriersKnown(): PublicCarrier[] {
    return this.catalogue.descriptors.map((descriptor) => {
      const secrets = secretFieldsOf(descriptor);
      const credentials = Object.entries<unknown>(descriptor.credentials.shape).map(([name, field]) => ({
        name,
        label: labelOf(field, name),
        isSecret: secrets.includes(name),
        isRequired: !(field instanceof z.ZodType && field.safeParse(undefined).success),
      }));
      return { carrier: descriptor.id, label: descriptor.name, credentials };
    });
  }

  async save(wanted: SaveCarrierAccountRequest, call: Call): Promise<PublicAccount> {
    const orgId = wholeOrganizationOf(call, 'Carrier accounts');
    await this.requireReach(orgId, wanted);
    return this.withPorts(orgId, async (manager) => {
      const { CarrierAccountKeyID: keyId } = wanted;
      const account = keyId ? await findAccount(manager, { orgId, keyId }, 'locked') : await this.fresh(manager, orgId, wanted);
      if (wanted.carrier && account.carrier !== wanted.carrier) {
        throw new Fault('CONFLICT', { message: 'The carrier of an account cannot be changed: create another account.' });
      }
      account.name = wanted.AccountName ?? account.name;
      if (wanted.country !== undefined) account.country = countryIn(wanted.country);
      account.updatedOn = new Date();
      if (wanted.credentials) this.seal(account, this.afterChange(account, wanted.credentials));
      const saved = await manager.save(CarrierAccount, account);
      if (wanted.credentials) await this.ports.claim(manager, saved, this.carriers.portOf(saved));
      return this.shown(saved);
    });
  }

  list(call: Call): Promise<PublicAccount[]> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const accounts = await manager.find(CarrierAccount, { where: { orgId, deletedOn: IsNull() }, order: { id: 'ASC' } });
      return accounts.map((account) => this.shown(account));
    });
  }

  /** Deletes an account. CONFLICT while it has numbers, which would then never be answered. */
  delete(keyId: string, call: Call): Promise<PublicAccount> {
    const orgId = wholeOrganizationOf(call, 'Carrier accounts');
    return this.withPorts(orgId, async (manager) => {
      const account = await findAccount(manager, { orgId, keyId });
      if (await manager.existsBy(PhoneNumber, { orgId, accountId: account.id })) {
        throw new Fault('CONFLICT', { message: 'This account has numbers: delete or move them first.' });
      }
      await this.ports.claim(manager, account, undefined);
      await manager.update(CarrierAccount, { id: account.id }, { deletedOn: new Date(), sealed: '' });
      return this.shown(account);
    });
  }

  /** Checks the credentials with the carrier and whether the account's port is open, and stores the outcome. */
  async test(keyId: string, call: Call): Promise<TestResult> {
    // The outcome is stored for everyone who shares the account.
    const orgId = wholeOrganizationOf(call, 'Carrier accounts');
    const account = await this.tenants.read(orgId, (manager) => findAccount(manager, { orgId, keyId }));
    const { carrier } = this.carriers.open(account);
    const startedAtMs = performance.now();
    const reasons = await Promise.all([whyNotWorking(carrier, call.signal), this.whyNotOpen(account, carrier, call.signal)]);
    const reason = reasons.find((each) => each !== null) ?? null;
    // A cancelled test has no outcome.
    call.signal.throwIfAborted();
    const isWorking = reason === null;
    await this.tenants.run(orgId, (manager) =>
      manager.update(CarrierAccount, { id: account.id }, { isWorking, lastTestedOn: new Date() }),
    );
    return { isWorking, reason, latencyMs: Math.round(performance.now() - startedAtMs) };
  }

  /** Why no call can arrive at the account's port; null if it is open or there is none. A changed account takes a moment to open it. */
  private async whyNotOpen(account: CarrierAccount, { listensOn }: Carrier, asked: AbortSignal): Promise<string | null> {
    if (listensOn === undefined) return null;
    for (const endMs = performance.now() + testMs; performance.now() < endMs && !asked.aborted; await delay(lookAgainMs))
      if (await this.ports.isOpen(account)) return null;
    return `Port ${listensOn} is not open, so no call can arrive: the log of the telephony bridge says why.`;
  }

  private async withPorts(orgId: number, work: (manager: EntityManager) => Promise<PublicAccount>): Promise<PublicAccount> {
    const shown = await this.tenants.run(orgId, work);
    this.ports.changed();
    return shown;
  }

  /** Looks up names in DNS, so it runs before anything is locked. */
  private async requireReach(
    orgId: number,
    { CarrierAccountKeyID: keyId, carrier, credentials }: SaveCarrierAccountRequest,
  ): Promise<void> {
    if (!credentials) return;
    const known = keyId ? await this.tenants.read(orgId, (manager) => findAccount(manager, { orgId, keyId })) : undefined;
    const given = Object.fromEntries(
      Object.entries(credentials).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    );
    await this.catalogue.requireReach(known?.carrier ?? carrier ?? '', given);
  }

  private async fresh(
    manager: EntityManager,
    orgId: number,
    { carrier = '' }: SaveCarrierAccountRequest,
  ): Promise<CarrierAccount> {
    this.catalogue.descriptorOf(carrier);
    if ((await manager.countBy(CarrierAccount, { orgId, deletedOn: IsNull() })) >= accountsMax) {
      throw new Fault('CONFLICT', { message: `An organization has at most ${accountsMax} carrier accounts.` });
    }
    return manager.create(CarrierAccount, {
      orgId,
      keyId: randomUUID(),
      carrier,
      sealed: '',
      country: null,
      lastTestedOn: null,
      isWorking: null,
    });
  }

  /**
   * The stored credentials with the changes applied (decision 036). Clients cannot send the rest again, since they cannot read secrets.
   */
  private afterChange(account: CarrierAccount, changes: Record<string, string | null>): Record<string, unknown> {
    const stored = account.sealed === '' ? {} : this.storedOf(account, changes);
    this.catalogue.requireSecretsAgain(account.carrier, { stored, changes });
    return Object.fromEntries(Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null));
  }

  private storedOf(account: CarrierAccount, changes: object): Record<string, unknown> {
    try {
      return this.carriers.credentialsOf(account);
    } catch (cause) {
      // If no key opens them any more, all fields must be sent.
      if (account.fieldNames.every((name) => name in changes)) return {};
      const message = 'What is stored of this account cannot be opened any more: send all of its credentials.';
      throw new Fault('CONFLICT', { message, cause });
    }
  }

  private seal(account: CarrierAccount, credentials: Record<string, unknown>): void {
    const schema = this.catalogue.descriptorOf(account.carrier).credentials;
    const { success, error } = schema.safeParse(credentials, { error: ownWords });
    if (!success) {
      const known = Object.keys(schema.shape);
      // Other names are kept and not used, so that they are told of only where one is missing, which they may be meant for.
      const others = Object.keys(credentials).filter((field) => !known.includes(field));
      const predicate = `is none of the credentials of ${account.carrier}: ${known.join(', ')}`;
      const complaints = [
        ...complaintsAbout(schema, credentials, error.issues),
        ...others.map((field) => ({ field, predicate })),
      ];
      const details = complaints.map((each) => ({ field: `credentials.${each.field}`, message: each.predicate }));
      throw new Fault('VALIDATION_FAILED', { details });
    }
    // Sealed as they were entered, and parsed whenever the account is opened.
    account.sealed = this.seals.seal(JSON.stringify(credentials), sealPlaceOf(account));
    account.fieldNames = Object.keys(credentials);
    account.lastTestedOn = null;
    account.isWorking = null;
  }

  private shown(account: CarrierAccount): PublicAccount {
    return {
      CarrierAccountKeyID: account.keyId,
      CarrierAccountID: account.id,
      carrier: account.carrier,
      AccountName: account.name,
      country: account.country,
      credentialFields: account.fieldNames,
      webhookURL: this.address.webhook(account, 'answer'),
      statusURL: this.address.webhook(account, 'status'),
      lastTestedOn: account.lastTestedOn?.toISOString() ?? null,
      isWorking: account.isWorking,
      CreatedOn: account.createdOn.toISOString(),
      UpdatedOn: account.updatedOn.toISOString(),
    };
  }
}

/** Why the credentials do not work; null if they do, or cannot be checked. A timeout counts as a failure. */
async function whyNotWorking(carrier: Carrier, asked: AbortSignal): Promise<string | null> {
  const late = new AbortController();
  const test = async (): Promise<null> => {
    await carrier.test?.(AbortSignal.any([asked, late.signal]));
    return null;
  };
  try {
    return await within<string | null>(testMs, test(), () => {
      late.abort();
      return `The carrier did not answer within ${testMs / 1000} seconds.`;
    });
  } catch (error) {
    return error instanceof Error ? error.message : 'The carrier did not answer.';
  }
}

function countryIn(code: string | null): string | null {
  if (code === null || isCountry(code)) return code;
  throw new Fault('VALIDATION_FAILED', { details: [{ field: 'country', message: 'must be a country such as DE' }] });
}

/** An account of the organization. NOT_FOUND if it was deleted or is another organization's. */
export async function findAccount(
  manager: EntityManager,
  { orgId, keyId }: { readonly orgId: number; readonly keyId: string },
  locked?: 'locked',
): Promise<CarrierAccount> {
  const where = { orgId, keyId, deletedOn: IsNull() };
  const account = await manager.findOne(CarrierAccount, { where, ...(locked && { lock: { mode: 'pessimistic_write' } }) });
  if (!account) throw new Fault('NOT_FOUND', { message: 'There is no such carrier account.' });
  return account;
}

function labelOf(field: unknown, name: string): string {
  const title = field instanceof z.ZodType ? field.meta()?.title : undefined;
  if (title !== undefined) return title;
  return name.replace(/([A-Z])/g, ' $1').replace(/^./, (first) => first.toUpperCase());
}

type SaveCarrierAccountHandler = HandlerOf<typeof saveCarrierAccount>;
type ListCarrierAccountsHandler = HandlerOf<typeof listCarrierAccounts>;
type TestCarrierAccountHandler = HandlerOf<typeof testCarrierAccount>;
type DeleteCarrierAccountHandler = HandlerOf<typeof deleteCarrierAccount>;
type Carriers = HandlerOf<typeof listCarriers>;

const sealedAtOnce = 200;
/** The tables with sealed values, and the context of each: see each `sealPlaceOf`. */
const sealedTables = [
  { table: 'carrier_accounts', place: 'carrier-account', isKept: 'deleted_on IS NULL' },
  { table: 'campaign_webhooks', place: 'campaign-webhook', isKept: 'true' },
] as const;

interface Stale {
  readonly id: number;
  readonly orgId: number;
  readonly keyId: string;
  readonly sealed: string;
}

/** Re-seals this service's secrets after a change of PARLEY_SECRET_KEY, so that the old key can be removed. */
@Injectable()
export class CarrierSeals implements OnApplicationBootstrap {
  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sealAll();
  }

  /** Returns how many were sealed with the current key, and how many no key opens. */
  async sealAll(): Promise<{ sealed: number; unopened: number }> {
    const total = { sealed: 0, unopened: 0 };
    for (const kind of sealedTables) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const { last, sealed, unopened } = await this.sealSome(kind, after);
        after = last;
        total.sealed += sealed;
        total.unopened += unopened;
      }
    }
    return total;
  }

  private sealSome(
    { table, place, isKept }: (typeof sealedTables)[number],
    after: number,
  ): Promise<{ last: number | undefined; sealed: number; unopened: number }> {
    return this.tenants.acrossTenants('the key of the whole installation has changed', async (manager) => {
      const stale: Stale[] = await manager.query(
        `SELECT id, org_id AS "orgId", key_id AS "keyId", sealed FROM ${table}
         WHERE NOT starts_with(sealed, $1) AND id > $2 AND ${isKept} ORDER BY id LIMIT $3 FOR UPDATE`,
        [this.seals.currentPrefix, after, sealedAtOnce],
      );
      let sealed = 0;
      for (const row of stale) sealed += (await this.renew(manager, { table, place }, row)) ? 1 : 0;
      return { last: stale.at(-1)?.id, sealed, unopened: stale.length - sealed };
    });
  }

  private async renew(
    manager: EntityManager,
    { table, place }: Pick<(typeof sealedTables)[number], 'table' | 'place'>,
    { id, orgId, keyId, sealed }: Stale,
  ): Promise<boolean> {
    try {
      const where = `${place}/${orgId}/${keyId}`;
      await manager.query(`UPDATE ${table} SET sealed = $2 WHERE id = $1`, [
        id,
        this.seals.seal(this.seals.open(sealed, where), where),
      ]);
      return true;
    } catch (error) {
      this.log.error('A sealed secret cannot be opened with any key', { err: error, table, id });
      return false;
    }
  }
}

/** Carrier accounts over the bus. */
@Controller()
export class CarrierAccountsController {
  constructor(
    private readonly accounts: CarrierAccounts,
    private readonly seals: CarrierSeals,
  ) {}

  @Handles(saveCarrierAccount)
  save(wanted: Parameters<SaveCarrierAccountHandler>[0], call: Call): ReturnType<SaveCarrierAccountHandler> {
    return this.accounts.save(wanted, call);
  }

  @Handles(listCarrierAccounts)
  list(_: object, call: Call): ReturnType<ListCarrierAccountsHandler> {
    return this.accounts.list(call);
  }

  @Handles(testCarrierAccount)
  test({ CarrierAccountKeyID }: Parameters<TestCarrierAccountHandler>[0], call: Call): ReturnType<TestCarrierAccountHandler> {
    return this.accounts.test(CarrierAccountKeyID, call);
  }

  @Handles(deleteCarrierAccount)
  delete(
    { CarrierAccountKeyID }: Parameters<DeleteCarrierAccountHandler>[0],
    call: Call,
  ): ReturnType<DeleteCarrierAccountHandler> {
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
