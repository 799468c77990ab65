import { isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import {
  type CallDialogs,
  type Carrier,
  type CarrierDescriptor,
  type CarrierSurroundings,
  readAgainIn,
  secretFieldsOf,
} from '@parley/ports';
import { fetchPublicServer, isPublicAddress, Logger, publicAddresses, SealedSecrets, whyRefused } from '@parley/service-kit';
import { realClock } from '@parley/voice-session';
import { z } from 'zod';
import { CarrierAccount } from './entities';

/** Where carriers find this installation. */
export class PublicAddress {
  /** Without a slash at its end. */
  readonly url: string;

  constructor(url: string) {
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * The webhook URLs of an account. For a call that we place they end with our reference: a call answered at once is reported
   * before we know the carrier's id of it.
   */
  webhook(
    { carrier, keyId }: { readonly carrier: string; readonly keyId: string },
    what: 'answer' | 'status' | 'after' | 'document',
    reference?: string,
  ): string {
    return `${this.url}/telephony/${carrier}/${keyId}/${what}${reference === undefined ? '' : `/${reference}`}`;
  }

  /** Where the media of one call connects. */
  media(carrier: string, token: string): string {
    return `${this.url.replace(/^http/, 'ws')}/telephony/${carrier}/${token}`;
  }
}

const onlyInPrivate =
  'This carrier sends to any host that its account names. Whoever runs this installation allows it by CARRIERS_IN_PRIVATE_NETWORKS.';

/** Every carrier that this build has. */
export class CarrierCatalogue {
  private readonly byId: ReadonlyMap<string, CarrierDescriptor>;

  /** How far the servers that customers name may be: without leave, nothing in private networks is asked or sent to. */
  readonly reach: Pick<CarrierSurroundings, 'fetch' | 'reaches'>;

  constructor(
    readonly descriptors: readonly CarrierDescriptor[],
    private readonly rules: { readonly isPrivateAllowed: boolean },
  ) {
    this.reach = rules.isPrivateAllowed ? { fetch } : { fetch: fetchPublicServer, reaches: isPublicAddress };
    this.byId = new Map(descriptors.map((descriptor) => [descriptor.id, descriptor]));
  }

  /** The carrier of this name; VALIDATION_FAILED lists the known ones. */
  descriptorOf(carrier: string): CarrierDescriptor {
    const descriptor = this.byId.get(carrier);
    if (descriptor?.capabilities.reachesAnyHost && !this.rules.isPrivateAllowed)
      throw new Fault('CONFLICT', { message: onlyInPrivate });
    if (descriptor) return descriptor;
    const message = `must be one of ${[...this.byId.keys()].join(', ')}`;
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'carrier', message }] });
  }

  /** Refuses credentials with servers that every request would refuse, so that saving fails at once. */
  async requireReach(carrier: string, credentials: Readonly<Record<string, string>>): Promise<void> {
    const descriptor = this.descriptorOf(carrier);
    if (this.rules.isPrivateAllowed) return;
    // Without one, the carrier's own address is used.
    const servers = serversIn(descriptor, credentials).filter(({ name }) => name in credentials);
    const refusals = await Promise.all(servers.map(({ url }) => whyRefused(publicAddresses, url)));
    const details = servers.flatMap(({ name }, at) => {
      const [field, refusal] = [`credentials.${name}`, refusals[at]];
      return refusal === undefined ? [] : [{ field, message: `${field} cannot be called: ${refusal}` }];
    });
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }

  /** A secret is bound to the servers that it was entered for: where others are named, it must be entered again. */
  requireSecretsAgain(carrier: string, { stored, changes }: { readonly stored: Entered; readonly changes: Entered }): void {
    const descriptor = this.descriptorOf(carrier);
    const known = serversIn(descriptor, stored).map(({ url }) => url.host);
    const asked = serversIn(descriptor, { ...stored, ...changes }).map(({ url }) => url.host);
    if (asked.every((host) => known.includes(host))) return;
    const details = secretFieldsOf(descriptor)
      .filter((name) => name in stored && !(name in changes))
      .map((name) => ({
        field: `credentials.${name}`,
        message: `credentials.${name} is stored for ${known.join(', ') || 'no server'} alone: send it again with another address`,
      }));
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }
}

/** Credentials as they were entered: null takes one back. */
type Entered = Readonly<Record<string, unknown>>;

/** The servers that credentials name, those that their carrier has of itself as well; none as long as they are not complete. */
function serversIn(descriptor: CarrierDescriptor, entered: Entered): { name: string; url: URL }[] {
  const given = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null));
  const { data = {} } = descriptor.credentials.safeParse(given);
  const secrets = secretFieldsOf(descriptor);
  return Object.entries<unknown>(data).flatMap(([name, value]) => {
    const url = secrets.includes(name) ? undefined : serverIn(value);
    return url ? [{ name, url }] : [];
  });
}

const SipTarget = z.object({ host: z.string(), port: z.int().optional() });

/** The server that a credential names: the address of an API, or a trunk, which has a host and no scheme of the web. */
function serverIn(value: unknown): URL | undefined {
  if (typeof value === 'string') return /^(https?|wss?):/i.test(value) ? (URL.parse(value) ?? undefined) : undefined;
  const { data: trunk } = SipTarget.safeParse(value);
  if (!trunk) return undefined;
  const port = trunk.port === undefined ? '' : `:${trunk.port}`;
  return URL.parse(`https://${isIPv6(trunk.host) ? `[${trunk.host}]` : trunk.host}${port}`) ?? undefined;
}

const openMax = 1_000;
const rereadMs = 5_000;

/** An account with its carrier, opened with what the account knows. */
export interface OpenCarrier {
  readonly account: CarrierAccount;
  readonly carrier: Carrier;
}

interface RememberedCarrier extends OpenCarrier {
  readonly staleAtMs: number;
}

/** Ends a call at its carrier, if supported. If not, the call ends with its media only. */
export async function endAt({ control }: Carrier, carrierCallId: string): Promise<void> {
  if (control?.capabilities.ends) await control.end(carrierCallId);
}

/** What to store of calls held by this process only, so that another one can end them. */
export function dialogsOf(carrier: Carrier | undefined, calls: readonly Parameters<CallDialogs['of']>[0][]): string[] {
  const dialogs = carrier?.control?.dialogs;
  return dialogs ? calls.flatMap((call) => dialogs.of(call) ?? []) : [];
}

const Credentials = z.record(z.string(), z.unknown());

/** Where an account's credentials are sealed for: elsewhere they do not open. */
export const sealPlaceOf = ({ orgId, keyId }: Pick<CarrierAccount, 'orgId' | 'keyId'>): string =>
  `carrier-account/${orgId}/${keyId}`;

/** Carriers of accounts, opened once and again when the account was changed. */
@Injectable()
export class OpenCarriers implements OnApplicationShutdown {
  private readonly opened = new Map<string, RememberedCarrier>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly catalogue: CarrierCatalogue,
    private readonly address: PublicAddress,
    private readonly log: Logger,
  ) {}

  /** By the key in a carrier's request, whose organization is unknown yet. */
  async byKey(keyId: string): Promise<OpenCarrier | undefined> {
    const known = this.opened.get(keyId);
    if (known && known.staleAtMs > Date.now()) return known;
    const account = await this.tenants.acrossTenants('a carrier names the account and nothing else', (manager) =>
      manager.findOneBy(CarrierAccount, { keyId }),
    );
    return account && !account.deletedOn ? this.remember(account) : undefined;
  }

  /** Of a call's account. NOT_FOUND once that was deleted. */
  async of(orgId: number, accountId: number): Promise<OpenCarrier> {
    for (const known of this.opened.values()) if (known.account.id === accountId && known.staleAtMs > Date.now()) return known;
    const account = await this.tenants.read(orgId, (manager) => manager.findOneBy(CarrierAccount, { orgId, id: accountId }));
    if (!account || account.deletedOn) throw new Fault('NOT_FOUND', { message: 'The carrier account of this call was deleted.' });
    return this.remember(account);
  }

  /** Of an account that was opened before, however long ago. */
  known(accountId: number): Carrier | undefined {
    for (const { account, carrier } of this.opened.values()) if (account.id === accountId) return carrier;
    return undefined;
  }

  /** Opens the account as just read, bypassing the cache. */
  open(account: CarrierAccount): OpenCarrier {
    return this.remember(account);
  }

  /** The port on which an account wants its calls. */
  portOf(account: CarrierAccount): number | undefined {
    return this.connect(account).listensOn;
  }

  /** The credentials of an account, in clear. They go nowhere but to their carrier. */
  credentialsOf(account: CarrierAccount): Record<string, unknown> {
    return Credentials.parse(JSON.parse(this.seals.open(account.sealed, sealPlaceOf(account))));
  }

  /** The same as they are stored now: another replica may have changed them. Nothing of an account that was deleted. */
  async currentCredentialsOf({ orgId, id }: CarrierAccount): Promise<Record<string, unknown>> {
    const account = await this.tenants.read(orgId, (manager) => manager.findOneBy(CarrierAccount, { orgId, id }));
    return account && !account.deletedOn ? this.credentialsOf(account) : {};
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ carrier }) => carrier.close()));
  }

  private remember(account: CarrierAccount): OpenCarrier {
    const known = this.opened.get(account.keyId);
    const staleAtMs = Date.now() + rereadMs;
    // The carrier that is open may have calls on it.
    const carrier = known && this.isUsable(known, account) ? known.carrier : this.connect(account);
    if (known && known.carrier !== carrier) this.closeUnlessListening(known);
    this.forgetOldest();
    this.opened.delete(account.keyId);
    this.opened.set(account.keyId, { account, carrier, staleAtMs });
    return { account, carrier };
  }

  /** With the same credentials, but for those that are read again for each call. */
  private isUsable({ account: known }: OpenCarrier, account: CarrierAccount): boolean {
    if (known.sealed === account.sealed) return true;
    const readAgain = readAgainIn(this.catalogue.descriptorOf(account.carrier));
    if (readAgain.length === 0) return false;
    const [before, now] = [known, account].map((each) => new Map(Object.entries(this.credentialsOf(each))));
    for (const name of readAgain) if (before?.has(name) && now?.has(name)) now.set(name, before.get(name));
    return isDeepStrictEqual(before, now);
  }

  private connect(account: CarrierAccount): Carrier {
    const descriptor = this.catalogue.descriptorOf(account.carrier);
    const credentials = descriptor.credentials.parse(this.credentialsOf(account));
    return descriptor.open(credentials, { publicUrl: this.address.url, clock: realClock, ...this.catalogue.reach });
  }

  private forgetOldest(): void {
    const [oldest] = this.opened.values();
    if (this.opened.size < openMax || !oldest) return;
    this.opened.delete(oldest.account.keyId);
    this.closeUnlessListening(oldest);
  }

  /** A carrier that delivers ready media may have calls: its listener closes it once they are over. */
  private closeUnlessListening(open: OpenCarrier): void {
    if (open.carrier.media) void this.close(open);
  }

  private async close({ carrier, account }: OpenCarrier): Promise<void> {
    await carrier
      .close()
      .catch((error: unknown) => this.log.warn('A carrier could not be closed', { err: error, carrier: account.carrier }));
  }
}
