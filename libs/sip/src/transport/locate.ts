import { lookup, resolveSrv } from 'node:dns/promises';
import { isIP } from 'node:net';
import { within } from '@parley/ports';
import { type SipUri, parseUri } from '../message/sip-uri';
import type { SipPeer, SipProtocol } from './sip-transport';

const defaultPort = 5060;
const patienceMs = 4000;

/** Resolves a `sip:` address, with its port, its domain's SRV record, or 5060. Undefined if it cannot be resolved. */
export async function locate(uri: SipUri): Promise<SipPeer | undefined> {
  const protocol = protocolOf(uri);
  if (uri.port !== undefined || isIP(uri.host)) return at(uri.host, uri.port ?? defaultPort, protocol);
  const [best] = await soon(resolveSrv(`_sip._${protocol}.${uri.host}`)).then(
    (records) => (records ?? []).toSorted((one, other) => one.priority - other.priority || other.weight - one.weight),
    () => [],
  );
  return best ? at(best.name, best.port, protocol) : at(uri.host, defaultPort, protocol);
}

/**
 * Where to send requests within a call: the first route, otherwise the Contact. Names are not looked up again, and a private address
 * other than the source of messages is one behind a NAT; in both cases the peer is reached where it was last heard.
 */
export function withinCall(target: string, heardAt: SipPeer): SipPeer {
  const uri = parseUri(target);
  if (!uri || isIP(uri.host) !== 4) return heardAt;
  if (uri.host !== heardAt.address && isPrivate(uri.host)) return heardAt;
  const protocol = uri.parameters.has('transport') ? protocolOf(uri) : heardAt.protocol;
  // Many phones can be reached only by the connection that they opened.
  if (protocol === 'tcp' && heardAt.protocol === 'tcp') return heardAt;
  return { protocol, address: uri.host, port: uri.port ?? defaultPort };
}

function protocolOf(uri: SipUri): SipProtocol {
  return uri.parameters.get('transport')?.toLowerCase() === 'tcp' ? 'tcp' : 'udp';
}

async function at(host: string, port: number, protocol: SipProtocol): Promise<SipPeer | undefined> {
  if (isIP(host)) return { protocol, address: host, port };
  const found = await soon(lookup(host, 4)).catch(() => undefined);
  return found && { protocol, address: found.address, port };
}

function soon<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return within<Value | undefined>(patienceMs, work, () => undefined);
}

function isPrivate(address: string): boolean {
  return /^(0\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|127\.)/.test(
    address,
  );
}
