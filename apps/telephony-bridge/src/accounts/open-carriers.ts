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
import type { CallingLine, OurNumber } from './callable-numbers';
import { CarrierAccount } from './entities';

/** The public address of this installation, for carriers. */
export class PublicAddress {
  /** Without a trailing slash. */
  readonly url: string;

  constructor(url: string) {
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * A webhook URL of an account. For a call that we place it ends with our reference, since a call that is answered at once is reported
   * before we know the carrier's id.
   */
  webhook(
    { carrier, keyId }: { readonly carrier: string; readonly keyId: string },
    what: 'answer' | 'status' | 'after' | 'document',
    reference?: string,
  ): string {
    return `${this.url}/telephony/${carrier}/${keyId}/${what}${reference === undefined ? '' : `/${reference}`}`;
  }

  /** The URL for the media of one call. */
  media(carrier: string, token: string): string {
    return `${this.url.replace(/^http/, 'ws')}/telephony/${carrier}/${token}`;
  }
}

const onlyInPrivate =
  'This carrier sends to any host that its account names. Whoever runs this installation allows it by CARRIERS_IN_PRIVATE_NETWORKS.';

/** The carriers of this build. */
export class CarrierCatalogue {
  private readonly byId: ReadonlyMap<string, CarrierDescriptor>;

  /** Which servers named by customers may be reached: private networks only if the operator allows it. */
  readonly reach: Pick<CarrierSurroundings, 'fetch' | 'reaches'>;

  constructor(
    readonly descriptors: readonly CarrierDescriptor[],
    private readonly rules: { readonly isPrivateAllowed: boolean },
  ) {
    this.reach = rules.isPrivateAllowed ? { fetch } : { fetch: fetchPublicServer, reaches: isPublicAddress };
    this.byId = new Map(descriptors.map((descriptor) => [descriptor.id, descriptor]));
  }

  /** The carrier of this name; otherwise VALIDATION_FAILED with the known names. */
  descriptorOf(carrier: string): CarrierDescriptor {
    const descriptor = this.byId.get(carrier);
    if (descriptor?.capabilities.reachesAnyHost && !this.rules.isPrivateAllowed)
      throw new Fault('CONFLICT', { message: onlyInPrivate });
    if (descriptor) return descriptor;
    const message = `must be one of ${[...this.byId.keys()].join(', ')}`;
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'carrier', message }] });
  }

  /** Refuses credentials with unreachable servers when they are saved, rather than at the first request. */
  async requireReach(carrier: string, credentials: Readonly<Record<string, string>>): Promise<void> {
    const descriptor = this.descriptorOf(carrier);
    if (this.rules.isPrivateAllowed) return;
    // A server that was not entered is the carrier's own.
    const servers = serversIn(descriptor, credentials).filter(({ name }) => name in credentials);
    const refusals = await Promise.all(servers.map(({ url }) => whyRefused(publicAddresses, url)));
    const details = servers.flatMap(({ name }, at) => {
      const [field, refusal] = [`credentials.${name}`, refusals[at]];
      return refusal === undefined ? [] : [{ field, message: `${field} cannot be called: ${refusal}` }];
    });
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }

  /** Secrets are bound to the servers they were entered for, so if a server changes they must be entered again. */
  requireSecretsAgain(carrier: string, { stored, changes }: { readonly stored: Entered; readonly changes: Entered }): void {
    const descriptor = this.descriptorOf(carrier);
    const known = serversIn(descriptor, stored).map(({ url }) => url.host);
    const hosts = serversIn(descriptor, { ...stored, ...changes }).map(({ url }) => url.host);
    if (hosts.every((host) => known.includes(host))) return;
    const details = secretFieldsOf(descriptor)
      .filter((name) => name in stored && !(name in changes))
      .map((name) => ({
        field: `credentials.${name}`,
        message: `credentials.${name} is stored only for ${known.join(', ') || 'no server'}: send it again with another address`,
      }));
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }
}

/** Credentials as entered; null removes one. */
type Entered = Readonly<Record<string, unknown>>;

/** The servers in complete credentials, including the carrier's defaults; none if they are incomplete. */
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

/** The server that a credential names: the URL of an API, or the host of a trunk. */
function serverIn(value: unknown): URL | undefined {
  if (typeof value === 'string') return /^(https?|wss?):/i.test(value) ? (URL.parse(value) ?? undefined) : undefined;
  const { data: trunk } = SipTarget.safeParse(value);
  if (!trunk) return undefined;
  const port = trunk.port === undefined ? '' : `:${trunk.port}`;
  return URL.parse(`https://${isIPv6(trunk.host) ? `[${trunk.host}]` : trunk.host}${port}`) ?? undefined;
}

const openMax = 1_000;
const rereadMs = 5_000;

/** An account with its carrier, opened with the account's credentials. */
export interface OpenCarrier {
  readonly account: CarrierAccount;
  readonly carrier: Carrier;
}

interface RememberedCarrier extends OpenCarrier {
  readonly staleAtMs: number;
}

/** From where a carrier places a call, by which addresses are read and checked. */
export function lineOf({ control }: Carrier, our: OurNumber, rules: Pick<CallingLine, 'callsCostlyNumbers'>): CallingLine {
  return { ...our, dials: control?.capabilities, callsCostlyNumbers: rules.callsCostlyNumbers };
}

/** Ends a call at its carrier, if supported; otherwise it ends only with its media. */
export async function endAt({ control }: Carrier, carrierCallId: string): Promise<void> {
  if (control?.capabilities.ends) await control.end(carrierCallId);
}

/** The dialogs to store for calls that only this process holds, so that another process can end them. */
export function dialogsOf(carrier: Carrier | undefined, calls: readonly Parameters<CallDialogs['of']>[0][]): string[] {
  const dialogs = carrier?.control?.dialogs;
  return dialogs ? calls.flatMap((call) => dialogs.of(call) ?? []) : [];
}

const Credentials = z.record(z.string(), z.unknown());

/** The context for which an account's credentials are sealed; they cannot be opened in another. */
export const sealPlaceOf = ({ orgId, keyId }: Pick<CarrierAccount, 'orgId' | 'keyId'>): string =>
  `carrier-account/${orgId}/${keyId}`;

/** Opens the carriers of accounts, and again when an account has changed. */
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

  /** Opens the account whose key is in a carrier's request. */
  async byKey(keyId: string): Promise<OpenCarrier | undefined> {
    const known = this.opened.get(keyId);
    if (known && known.staleAtMs > performance.now()) return known;
    const account = await this.tenants.acrossTenants('a carrier names the account and nothing else', (manager) =>
      manager.findOneBy(CarrierAccount, { keyId }),
    );
    return account && !account.deletedOn ? this.remember(account) : undefined;
  }

  /** Opens a call's account. NOT_FOUND if it was deleted. */
  async of(orgId: number, accountId: number): Promise<OpenCarrier> {
    for (const known of this.opened.values())
      if (known.account.id === accountId && known.staleAtMs > performance.now()) return known;
    const account = await this.tenants.read(orgId, (manager) => manager.findOneBy(CarrierAccount, { orgId, id: accountId }));
    if (!account || account.deletedOn) throw new Fault('NOT_FOUND', { message: 'The carrier account of this call was deleted.' });
    return this.remember(account);
  }

  /** The carrier of an account, if it is open. */
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

  /** The decrypted credentials of an account, which go only to its carrier. */
  credentialsOf(account: CarrierAccount): Record<string, unknown> {
    return Credentials.parse(JSON.parse(this.seals.open(account.sealed, sealPlaceOf(account))));
  }

  /** The credentials as stored now, since another replica may have changed them. Empty if the account was deleted. */
  async currentCredentialsOf({ orgId, id }: CarrierAccount): Promise<Record<string, unknown>> {
    const account = await this.tenants.read(orgId, (manager) => manager.findOneBy(CarrierAccount, { orgId, id }));
    return account && !account.deletedOn ? this.credentialsOf(account) : {};
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ carrier }) => carrier.close()));
  }

  private remember(account: CarrierAccount): OpenCarrier {
    const known = this.opened.get(account.keyId);
    const staleAtMs = performance.now() + rereadMs;
    // The open carrier is kept if possible, since it may have calls.
    const carrier = known && this.isUsable(known, account) ? known.carrier : this.connect(account);
    if (known && known.carrier !== carrier) this.closeUnlessListening(known);
    this.forgetOldest();
    this.opened.delete(account.keyId);
    this.opened.set(account.keyId, { account, carrier, staleAtMs });
    return { account, carrier };
  }

  /** Whether an open carrier has the current credentials, apart from those that are read anew for each call. */
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

  /** Closes a carrier, unless it has a listener, which closes it after its last call. */
  private closeUnlessListening(open: OpenCarrier): void {
    if (open.carrier.media) void this.close(open);
  }

  private async close({ carrier, account }: OpenCarrier): Promise<void> {
    await carrier
      .close()
      .catch((error: unknown) => this.log.warn('A carrier could not be closed', { err: error, carrier: account.carrier }));
  }
}
