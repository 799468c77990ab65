import { networkInterfaces } from 'node:os';
import { isHost } from '@parley/contracts';
import {
  type CallControl,
  type CallDialogs,
  type CallSearch,
  type ControlCapabilities,
  ExtensionList,
  type FoundCall,
  isEndState,
  type PlacedCall,
  type PlaceRequest,
  ProviderFailure,
  type TransferRequest,
} from '@parley/ports';
import { formatUri, LeftCall, pairsOf, parseUri, type SipEndpoint, type SipUri } from '@parley/sip';
import { z } from 'zod';
import type { SipCalls } from './sip-calls';

export const sipControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: false,
  dials: 'extensions',
  dialsAddresses: true,
};

const transferSlackMs = 5000;

/** Controls the calls of this process. */
export class SipControl implements CallControl {
  readonly capabilities: ControlCapabilities;

  constructor(
    private readonly calls: SipCalls,
    private readonly options: { readonly account: SipAccount; readonly endpoint: () => SipEndpoint | undefined },
  ) {
    const { callsAddresses: dialsAddresses, extensions } = options.account;
    this.capabilities = { ...sipControlCapabilities, dialsAddresses, extensions };
  }

  /** Places a call, unless its reference was placed before. */
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

  /** Transfers blindly by REFER. The outcome arrives as a `continuing` notice; the call ends once the target has answered. */
  async transfer({ callId, to, ringSeconds }: TransferRequest): Promise<void> {
    const target = addressOf(to, this.options.account);
    if (!target) throw failure('this account has no way to that number', false);
    const call = this.calls.find((known) => known.callId === callId)?.call.established;
    if (!call?.refer(formatUri(target), ringSeconds * 1000 + transferSlackMs))
      throw failure('there is no such call to transfer', false);
  }

  readonly dialogs: CallDialogs = {
    of: (call) => {
      const found = this.calls.find((known) =>
        'callId' in call ? known.callId === call.callId : known.reference === call.reference,
      );
      return found && !isEndState(found.state) ? JSON.stringify(found.call.left) : undefined;
    },
    end: (dialog) => {
      const { username, password } = this.options.account;
      const endpoint = this.options.endpoint();
      if (!endpoint) throw failure('the account does not listen, so that nothing can be said', true);
      const left = LeftCall.safeParse(parsed(dialog)).data;
      const credentials = username !== undefined && password !== undefined ? { username, password } : undefined;
      if (!left || !endpoint.endLeft(left, credentials)) throw failure('what was written down of the call cannot be read', false);
    },
  };

  async sendDigits(callId: string, digits: string): Promise<void> {
    if (!this.calls.mediaOf(callId)?.sendDigits(digits)) throw failure('there is no such call, or these are no keys', false);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(message: string, retryable: boolean, isBusy = false): ProviderFailure {
  return new ProviderFailure('sip', message, { retryable, isBusy });
}

const SipAddress = z.string().transform((text, context) => {
  const uri = parseUri(/^sip:/i.test(text) ? text : `sip:${text}`);
  if (uri && isHost(uri.host)) return uri;
  context.addIssue({
    code: 'custom',
    message: 'Must be a SIP address such as sip:trunk.example or sip:10.0.0.5:5080;transport=tcp.',
  });
  return z.NEVER;
});

const notAHost = 'Must be a host name or an IPv4 address.';
const HostName = z.string().refine((name) => /^[A-Za-z0-9.-]+$/.test(name) && isHost(name), notAHost);

/** Of a wider range, a mistyped prefix is likelier than a network whose callers are all known. */
const prefixBitsMin = 8;

/** Why nobody may call without a password from there; undefined if it is an address or a range. */
function whyNotTrusted(source: string): string | undefined {
  const shown = JSON.stringify(source.slice(0, 60));
  if (!z.union([z.ipv4(), z.cidrv4()]).safeParse(source).success)
    return `${shown} is not: IPv4 addresses and ranges such as 198.51.100.7 and 203.0.113.0/28, between commas. IPv6 is not supported.`;
  const [, bits = '32'] = source.split('/');
  if (Number(bits) >= prefixBitsMin) return undefined;
  return `${shown} is too wide, nearly anybody could call without a password: a range must be at least /${prefixBitsMin}.`;
}

const Trusted = z
  .array(z.string())
  .max(64)
  .superRefine((sources, context) => {
    for (const message of sources.flatMap((source) => whyNotTrusted(source) ?? [])) context.addIssue({ code: 'custom', message });
  });
/** A boolean, possibly entered as text. */
const Flag = z.union([z.boolean(), z.stringbool()], 'Must be true or false.');
/** A port, entered as text. */
const portFrom = (min: number) => {
  const rule = `Must be a port: a whole number from ${min} to 65535.`;
  return z.coerce.number(rule).refine((port) => Number.isInteger(port) && port >= min && port <= 65_535, rule);
};
const MediaPort = portFrom(1024);
const listOf = (text: unknown): unknown => (typeof text === 'string' ? text.split(/[\s,]+/).filter(Boolean) : text);

/** Settings of a PBX, a phone or a trunk. All are optional; a missing one disables what needs it. */
export const SipCredentials = z
  .object({
    trunk: SipAddress.optional().meta({
      description: 'The server that outbound calls are sent to.',
      example: 'sip:trunk.example;transport=tcp',
    }),
    username: z.string().min(1).max(64).optional().meta({ description: 'The user name at the trunk.' }),
    password: z.string().min(1).max(128).optional().meta({ secret: true, description: 'The password at the trunk.' }),
    registers: Flag.default(false).meta({ description: 'Whether the trunk requires a registration before it sends calls.' }),
    domain: HostName.optional().meta({ description: 'The domain in our address, when it is not the host of the trunk.' }),
    trusted: z.preprocess(listOf, Trusted).default([]).meta({
      description: 'Addresses and ranges whose calls need no password, separated by commas: a PBX, a trunk.',
      example: '203.0.113.0/28, 198.51.100.7',
    }),
    callerUsername: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The user name that any other caller must authenticate with.' }),
    callerPassword: z
      .string()
      .min(8)
      .max(128)
      .optional()
      .meta({ secret: true, isReadAgain: true, description: 'The password of such callers.' }),
    callerDigest: z
      .enum(['any', 'md5'])
      .default('any')
      .meta({ description: 'Old phones fail on a SHA-256 challenge; `md5` omits it.' }),
    callsAddresses: Flag.default(false).meta({
      description: 'Whether calls may go to any sip: address, not only through the trunk.',
    }),
    extensions: ExtensionList,
    publicHost: HostName.optional().meta({
      description: 'The public address if this machine is behind a NAT, for signalling and sound.',
    }),
    port: portFrom(1)
      .optional()
      .meta({ description: 'The port on which calls arrive, UDP and TCP; without it none can.', example: '5060' }),
    mediaPortFrom: MediaPort.default(20_000).meta({ description: 'The first UDP port for sound.' }),
    mediaPortTo: MediaPort.default(20_999).meta({ description: 'The last UDP port for sound; a call uses two.' }),
  })
  .superRefine((account, context) => {
    for (const field of account.registers ? (['trunk', 'username', 'password'] as const) : [])
      if (account[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is needed by an account that registers' });
    const { mediaPortFrom: from, mediaPortTo: to } = account;
    const arePorts = [from, to].every((port) => MediaPort.safeParse(String(port)).success);
    if (!arePorts || pairsOf({ from, to }).length > 0) return;
    const message = 'there must be two ports for a call from mediaPortFrom to mediaPortTo, of which the first is even';
    for (const field of ['mediaPortFrom', 'mediaPortTo']) context.addIssue({ code: 'custom', path: [field], message });
  });
export type SipAccount = z.output<typeof SipCredentials>;

/** The SIP address for a number or a `sip:` address; undefined if this account may not call it. */
function addressOf(to: string, account: SipAccount): SipUri | undefined {
  if (/^sip:/i.test(to)) return account.callsAddresses ? parseUri(to) : undefined;
  const { trunk } = account;
  if (!trunk || !/^\+?[0-9*#]{1,32}$/.test(to)) return undefined;
  return { ...trunk, user: to };
}

/** The address for peers when we listen on all interfaces and none is configured. */
export function reachableHost(host: string): string | undefined {
  if (host !== '0.0.0.0') return undefined;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
