import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { Fault, type Principal, socketCloseCodes } from '@parley/contracts';
import { Principals } from '../access/principals';
import { permits } from '../access/permits';
import { FailedKeys } from '../rate-limit/failed-keys';
import { RateLimits } from '../rate-limit/rate-limits';
import type { Credential } from '../keys/open-sockets';
import { type Entry, EntryTokens } from '../tokens/entry-tokens';
import { WidgetsService } from '../widgets/widgets.service';
import { type Closing, closingFor } from './closing';
import type { Door } from './doors';

/** Who came in, and by what. */
export interface Newcomer extends Credential {
  /** The same as limits count it: visitors of one widget share its principal, and are told apart by their addresses. */
  readonly counted: Principal;
  /** What the token says that was shown, if one was. */
  readonly entry?: Entry;
  readonly requestId: string;
}

/** What came of knocking. */
export type Admission = { readonly newcomer: Newcomer } | { readonly refused: Fault; readonly closing: Closing };

/** One request to open a socket. */
export interface Knock {
  readonly door: Door;
  readonly request: IncomingMessage;
  readonly address: string;
  readonly requestId: string;
}

type Known = Credential & { readonly counted?: Principal; readonly entry?: Entry };
type Found = Known | { readonly refused: Fault; readonly code?: number };

const credentialCharactersMax = 200;

/** Lets newcomers in, or says why not. Nothing of a credential is kept or logged. */
@Injectable()
export class Entrance {
  constructor(
    @Inject(Principals) private readonly principals: Principals,
    @Inject(EntryTokens) private readonly tokens: EntryTokens,
    @Inject(WidgetsService) private readonly widgets: WidgetsService,
    private readonly failed: FailedKeys,
    private readonly limits: RateLimits,
  ) {}

  /** Never lets a wrong credential wait for anything but its own look-up. */
  async admit(knock: Knock): Promise<Admission> {
    const found = await this.find(knock);
    if ('refused' in found) return refusal(found.refused, found.code);
    const { counted = found.principal } = found;
    const { isGranted, retrySeconds } = this.limits.take(counted, 'ws-connect');
    if (!isGranted) return refusal(new Fault('RATE_LIMITED', { retryAfterSeconds: retrySeconds }));
    return { newcomer: { ...found, counted, requestId: knock.requestId } };
  }

  private find(knock: Knock): Promise<Found> {
    const query = new URLSearchParams(knock.request.url?.split('?')[1]);
    const token = query.get('token');
    if (token !== null) return this.byToken(token, knock);
    const widget = query.get('widget');
    if (widget !== null && knock.door.takes === 'widget') return this.byOrigin(widget, knock);
    return this.byKey(knock);
  }

  private async byToken(token: string, { door, address }: Knock): Promise<Found> {
    this.failed.requireRoom(address);
    if (token.length > credentialCharactersMax) return this.wrong(address, 'This is no token.');
    const redeemed = await this.tokens.redeem(token, door.takes);
    if ('entry' in redeemed) return bearerOf(redeemed.entry);
    if (redeemed.refused === 'unknown') return this.wrong(address, 'This token is unknown or has run out.');
    return { ...this.wrong(address, 'This token has been used.'), code: socketCloseCodes.tokenUsed };
  }

  private async byOrigin(publicId: string, { request, address }: Knock): Promise<Found> {
    this.failed.requireRoom(address);
    const { origin } = request.headers;
    const isPlausible = origin !== undefined && publicId.length <= credentialCharactersMax;
    const widget = isPlausible ? await this.widgets.embedded(publicId, origin) : undefined;
    if (widget) {
      const principal: Principal = { kind: 'agt', keyId: `widget ${widget.keyId}`, orgId: widget.orgId, agentId: widget.agentId };
      const counted = { ...principal, keyId: `${principal.keyId} ${address}` };
      return { principal, counted, widget: { keyId: widget.keyId, origin } };
    }
    return this.wrong(address, 'No widget of this id is open to pages of this origin.');
  }

  private async byKey({ door, request, address }: Knock): Promise<Found> {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return { refused: new Fault('API_KEY_MISSING', { message: missing(door) }) };
    const isPlausible = key.length <= credentialCharactersMax;
    const principal = isPlausible ? await this.principals.principalOf(key, { ip: address }) : undefined;
    if (!principal) return this.wrong(address);
    const verdict = permits(principal, door.endpoint, undefined);
    return verdict.granted ? { principal } : { refused: new Fault('SCOPE_MISSING', { message: verdict.reason }) };
  }

  /** Counts a wrong credential against the address that it came from. */
  private wrong(address: string, message?: string): { readonly refused: Fault } {
    this.failed.note(address);
    return { refused: new Fault('API_KEY_INVALID', message === undefined ? {} : { message }) };
  }
}

function bearerOf(entry: Entry): Known {
  const { principal, widgetKeyId } = entry;
  return { principal, entry, ...(widgetKeyId && { widget: { keyId: widgetKeyId } }) };
}

function refusal(refused: Fault, code?: number): Admission {
  return { refused, closing: closingFor(refused, code) };
}

function missing({ takes, endpoint }: Door): string {
  if (takes === 'widget') return 'Name the widget by ?widget= from a page that may embed it, or bring a widget token by ?token=.';
  const key = endpoint.keys.length > 0 ? ', or an agent key in the x-api-key header' : '';
  return `Bring a session token by ?token=${key}.`;
}
