import {
  type CallControl,
  type CallSearch,
  type ControlCapabilities,
  type FoundCall,
  type PlacedCall,
  type PlaceRequest,
  ProviderFailure,
  type TransferRequest,
} from '@parley/ports';
import { formatUri, type SipEndpoint } from '@parley/sip';
import type { SipCalls } from './sip-calls';
import { addressOf, type SipAccount } from './sip-credentials';

export const sipControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: false,
};

const transferSlackMs = 5000;

/** Commands about calls that this process holds. */
export class SipControl implements CallControl {
  readonly capabilities = sipControlCapabilities;

  constructor(
    private readonly calls: SipCalls,
    private readonly options: { readonly account: SipAccount; readonly endpoint: () => SipEndpoint | undefined },
  ) {}

  /** A reference that was placed already is not placed again. */
  async place(request: PlaceRequest): Promise<PlacedCall> {
    request.signal?.throwIfAborted();
    const before = this.calls.find(({ reference }) => reference === request.reference);
    if (before) return before;
    const { account } = this.options;
    const endpoint = this.options.endpoint();
    const to = addressOf(request.to, account);
    if (!endpoint) throw failure('the account does not listen, so that nothing could be answered', true);
    if (!to) throw failure('this account has no way to that number', false);
    const { username, password, domain, trunk } = account;
    const { listener, placed } = this.calls.outgoing(request);
    const host = domain ?? trunk?.host;
    const call = await endpoint.place({
      to,
      from: { user: request.from || (username ?? 'parley'), ...(host !== undefined && { host }) },
      ...(username !== undefined && password !== undefined && { credentials: { username, password } }),
      ringMs: request.ringSeconds * 1000,
      secondsMax: request.secondsMax,
      headers: [['X-Parley-Reference', request.reference]],
      listener,
    });
    if (call === 'full') throw failure('there is no room for another call', true, true);
    if (call === 'unknown-host') throw failure('the host has no address that may be called', true);
    return { callId: placed(call), state: 'queued' };
  }

  async end(callId: string): Promise<void> {
    this.calls.find((known) => known.callId === callId)?.call.hangUp();
  }

  async find(search: CallSearch): Promise<FoundCall | undefined> {
    const found = this.calls.find((known) =>
      'callId' in search ? known.callId === search.callId : known.reference === search.reference,
    );
    if (!found) return undefined;
    const { call: _, ...rest } = found;
    return rest;
  }

  /** Blind, by REFER. How it came out is a `continuing` notice; the call ends by itself once somebody answered. */
  async transfer({ callId, to, ringSeconds }: TransferRequest): Promise<void> {
    const target = addressOf(to, this.options.account);
    if (!target) throw failure('this account has no way to that number', false);
    const call = this.calls.find((known) => known.callId === callId)?.call.established;
    if (!call?.refer(formatUri(target), ringSeconds * 1000 + transferSlackMs))
      throw failure('there is no such call to transfer', false);
  }

  async sendDigits(callId: string, digits: string): Promise<void> {
    if (!this.calls.mediaOf(callId)?.sendDigits(digits)) throw failure('there is no such call, or these are no keys', false);
  }
}

function failure(message: string, retryable: boolean, isBusy = false): ProviderFailure {
  return new ProviderFailure('sip', message, { retryable, isBusy });
}
