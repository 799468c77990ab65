import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Fault, type Principal, socketCloseCodes } from '@parley/contracts';
import { Principals } from '../../endpoint/gateway-call';
import { permits } from '../../door/access/permits';
import { FailedKeys } from '../../door/limits/failed-keys';
import { RateLimits, tooMany } from '../../door/limits/rate-limits';
import type { Credential } from '../../door/limits/open-connections';
import { type EntryGrant, EntryTokens, type Redeemed } from '../../door/access/entry-tokens';
import { WidgetsService } from '../../door/access/widgets.service';
import type { BudgetedWidget } from '../../money/widget-budgets';
import type { SocketEndpoint } from '../../api/hand-written';
import { type Closing, closingFor } from './relay';

/** A client that was admitted, with its credential. */
export interface Admitted extends Credential {
  /** The principal for limits: visitors share their widget's principal, and are distinguished by address. */
  readonly counted: Principal;
  /** The grant of the token, if one was presented. */
  readonly entry?: EntryGrant;
  /** What the widget grants its visitors, if the client is one. */
  readonly visitorOf?: VisitedWidget;
  readonly address: string;
  readonly requestId: string;
}

/** What a widget grants its visitors. */
interface VisitedWidget extends BudgetedWidget {
  readonly variables: readonly string[];
}

/** The outcome of a connection attempt. */
type SocketDecision = { readonly admitted: Admitted } | { readonly refused: Fault; readonly closing: Closing };

/** One request to open a socket. */
interface ConnectionAttempt {
  readonly to: SocketEndpoint;
  readonly request: IncomingMessage;
  readonly address: string;
  readonly requestId: string;
}

type KnownClient = Credential & Pick<Admitted, 'entry' | 'visitorOf'> & { readonly counted?: Principal };
type FoundClient = KnownClient | { readonly refused: Fault; readonly code?: number };

const credentialCharactersMax = 200;
const publicIdOfWidget = /^[\w-]{1,200}$/;

/** Admits clients, or refuses them with a reason. Stores and logs no part of a credential. */
@Injectable()
export class SocketAdmission {
  constructor(
    @Inject(Principals) private readonly principals: Principals,
    @Inject(EntryTokens) private readonly tokens: EntryTokens,
    @Inject(WidgetsService) private readonly widgets: WidgetsService,
    private readonly failed: FailedKeys,
    private readonly limits: RateLimits,
  ) {}

  /** A wrong credential is refused right after its look-up, without waiting for anything else. */
  async admit(attempt: ConnectionAttempt): Promise<SocketDecision> {
    const found = await this.find(attempt);
    if ('refused' in found) return refusal(found.refused, found.code);
    const { counted = found.principal } = found;
    const limited = this.limits.take(counted, 'ws-connect');
    if (!limited.isGranted) return refusal(tooMany(limited));
    return { admitted: { ...found, counted, requestId: attempt.requestId, address: attempt.address } };
  }

  private find(attempt: ConnectionAttempt): Promise<FoundClient> {
    const query = new URLSearchParams(attempt.request.url?.split('?')[1]);
    const token = query.get('token');
    if (token !== null) return this.byToken(token, attempt);
    const widget = query.get('widget');
    if (widget !== null && attempt.to.takes === 'widget') return this.byOrigin(widget, attempt);
    return this.byKey(attempt);
  }

  private async byToken(token: string, { to, address }: ConnectionAttempt): Promise<FoundClient> {
    if (token.length > credentialCharactersMax) return refused('This is no token.');
    const redeemed = await this.failed.lookUp(address, () => this.redeem(token, to, address));
    if (!redeemed) return refused('This token is unknown or has run out.');
    if ('entry' in redeemed) return this.bearerOf(redeemed.entry);
    this.failed.note(address);
    if (redeemed.refused === 'elsewhere') return { refused: openedElsewhere(address) };
    return { ...refused('This token has been used.'), code: socketCloseCodes.tokenUsed };
  }

  private async redeem(token: string, { takes }: SocketEndpoint, address: string): Promise<Redeemed | undefined> {
    const redeemed = await this.tokens.redeem(token, takes, address);
    return 'refused' in redeemed && redeemed.refused === 'unknown' ? undefined : redeemed;
  }

  private async bearerOf(entry: EntryGrant): Promise<KnownClient> {
    const { principal, widgetKeyId } = entry;
    if (!widgetKeyId) return { principal, entry };
    const widget = await this.widgets.ofToken(principal.orgId, widgetKeyId);
    return { principal, entry, widget: { keyId: widgetKeyId }, ...(widget && { visitorOf: widget }) };
  }

  private async byOrigin(publicId: string, { request, address }: ConnectionAttempt): Promise<FoundClient> {
    const { origin } = request.headers;
    const isPlausible = origin !== undefined && publicIdOfWidget.test(publicId);
    const widget = isPlausible && (await this.failed.lookUp(address, () => this.widgets.embedded(publicId, origin)));
    if (!widget) return refused('No widget of this id is open to pages of this origin.');
    const principal: Principal = { kind: 'agt', keyId: `widget ${widget.keyId}`, orgId: widget.orgId, agentId: widget.agentId };
    const counted = { ...principal, keyId: `${principal.keyId} ${normalizeIp(address)}` };
    return { principal, counted, widget: { keyId: widget.keyId, origin }, visitorOf: widget };
  }

  private async byKey({ to, request, address }: ConnectionAttempt): Promise<FoundClient> {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return { refused: new Fault('API_KEY_MISSING', { message: missing(to) }) };
    const isPlausible = key.length <= credentialCharactersMax;
    const principal = isPlausible ? await this.principals.principalOf(key, { ip: address }) : undefined;
    if (!principal) return refused();
    const verdict = permits(principal, to.endpoint, undefined);
    return verdict.granted ? { principal } : { refused: new Fault('SCOPE_MISSING', { message: verdict.reason }) };
  }
}

function refused(message?: string): { readonly refused: Fault } {
  return { refused: new Fault('API_KEY_INVALID', message === undefined ? {} : { message }) };
}

function openedElsewhere(address: string): Fault {
  const how = 'the address that its visitorIp named, or where it named none, those of the key that made it';
  return new Fault('ADDRESS_NOT_ALLOWED', { message: `This token may not be used from ${address}, only from ${how}.` });
}

function refusal(refused: Fault, code?: number): SocketDecision {
  return { refused, closing: closingFor(refused, code) };
}

function missing({ takes, endpoint }: SocketEndpoint): string {
  if (takes === 'widget') return 'Name the widget by ?widget= from a page that may embed it, or bring a widget token by ?token=.';
  const key = endpoint.keys.length > 0 ? ', or an agent key in the x-api-key header' : '';
  return `Bring a session token by ?token=${key}.`;
}
