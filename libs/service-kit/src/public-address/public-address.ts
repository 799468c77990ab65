import { lookup as resolve } from 'node:dns';
import { Agent as HttpAgent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { isFramingHeader, isHost } from '@parley/contracts';
import { eitherSignal, within } from '@parley/ports';

const innerV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/** Formats with an embedded IPv4 address: translated, Teredo and 6to4. */
const carryingV6 = [
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 32],
  ['2001::', 32],
  ['2002::', 16],
] as const;
/**
 * Only an eighth of all addresses, 2000::/3, is assigned for the Internet; these are the others, and reserved ranges within it.
 */
const innerV6 = [
  ...carryingV6,
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['3fff::', 20],
  ['::', 96],
  ['::ffff:0:0', 96],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;
// Two lists, because in one Node would treat every IPv4 address as a mapped IPv6 one.
const [v4, v6] = [new BlockList(), new BlockList()];
for (const [network, prefix] of innerV4) v4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of innerV6) v6.addSubnet(network, prefix, 'ipv6');

/**
 * Whether an address is on the public Internet: not on this machine or network, a cloud's metadata service or a special range.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !v4.check(address, 'ipv4');
  return family === 6 && !v6.check(address, 'ipv6');
}

// Cloud providers serve credentials here to anything that runs on the machine.
const metadata = [
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['::169.254.0.0', 112, 'ipv6'],
  ['::100.100.100.200', 128, 'ipv6'],
] as const;
const clouds = new BlockList();
for (const [network, prefix, family] of metadata) clouds.addSubnet(network, prefix, family);
for (const [network, prefix] of carryingV6) clouds.addSubnet(network, prefix, 'ipv6');

/**
 * Whether an address is not a cloud's metadata service, in any notation: Node recognizes mapped IPv4 addresses, and other formats
 * with an embedded one are refused.
 */
function isNoMetadata(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !clouds.check(address, 'ipv4');
  return family === 6 && !clouds.check(address, 'ipv6');
}

/** Customers may not reach this address through us. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Which addresses may be reached, and by which protocols. */
export interface AddressPolicy {
  readonly isAllowed: (address: string) => boolean;
  readonly protocols: readonly string[];
}

/** Public Internet addresses only. */
export const publicAddresses: AddressPolicy = { isAllowed: isPublicAddress, protocols: ['https:'] };

/** Any address except a cloud's metadata service, for operators who trust every customer. */
export const anyAddress: AddressPolicy = { isAllowed: isNoMetadata, protocols: ['https:', 'http:'] };

/** Names with the same address everywhere: these are refused when they are given, not only when they are resolved. */
const addressByName = [
  { name: /(^|\.)localhost\.?$/i, address: '127.0.0.1' },
  { name: /^metadata(\.google\.internal)?\.?$/i, address: '169.254.169.254' },
];

interface GuardedRequest {
  readonly start: typeof httpsRequest;
  readonly lookup: LookupFunction;
}

/**
 * Starts a request to an address given by a customer; AddressRefused if it is not allowed. The check is made on the address that
 * the connection is about to use, so that a name cannot change between check and use.
 */
export function guardedRequest({ isAllowed, protocols }: AddressPolicy, url: URL): GuardedRequest {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!protocols.includes(url.protocol))
    throw new AddressRefused(`${url.protocol} is not allowed, only ${protocols.join(' or ')}`);
  if (!isHost(host)) throw new AddressRefused(`${host} is no name of a host`);
  // A literal address is connected to without being resolved.
  if (isIP(host) && !isAllowed(host)) throw new AddressRefused('the address is not public');
  const known = addressByName.find(({ name }) => name.test(host));
  if (known && !isAllowed(known.address)) throw new AddressRefused('the address is not public');
  return { start: url.protocol === 'https:' ? httpsRequest : httpRequest, lookup: checkedLookup(isAllowed) };
}

const resolvingMsMax = 2_000;

/**
 * Why an address would be refused, so that saving it fails already; undefined if it would not. A name that cannot be resolved is
 * accepted, because each connection is checked anyway.
 */
export async function whyRefused(policy: AddressPolicy, url: URL): Promise<string | undefined> {
  try {
    const { lookup } = guardedRequest(policy, url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const { promise, resolve: settle } = Promise.withResolvers<string | undefined>();
    lookup(host, { all: true }, (error) => settle(error instanceof AddressRefused ? error.message : undefined));
    return await within(resolvingMsMax, promise, () => undefined);
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
}

function checkedLookup(isAllowed: AddressPolicy['isAllowed']): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new AddressRefused('the address is not public'), '', 0);
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

interface PublicRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** How much of the response is read; the rest is dropped. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

interface PublicAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request to a server whose address a customer gave. Tests use their own. */
export type AskPublicServer = (request: PublicRequest) => Promise<PublicAnswer>;

/** Sends requests only to the public Internet. Redirects are returned and never followed. */
export const askPublicServer: AskPublicServer = askThrough(publicAddresses);

/** The same under another policy. */
export function askThrough(policy: AddressPolicy): AskPublicServer {
  return async ({ url: address, method = 'GET', headers, body, timeoutMs, bytesMax, signal }) => {
    const url = new URL(address);
    const { start, lookup } = guardedRequest(policy, url);
    const { promise, resolve: answer, reject } = Promise.withResolvers<PublicAnswer>();
    const until = eitherSignal(signal, AbortSignal.timeout(timeoutMs));
    const outgoing = start(url, { method, headers, lookup, agent: false, signal: until }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = () =>
        answer({ status: response.statusCode ?? 0, body: Buffer.concat(parts).subarray(0, bytesMax).toString('utf8') });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < bytesMax) return;
        finish();
        response.destroy();
      });
      response.on('end', finish).on('error', reject);
    });
    outgoing.on('upgrade', refuseUpgrade).on('error', reject).end(body);
    return promise;
  };
}

/** Nobody requested another protocol, and a server that switches anyway would never answer. */
function refuseUpgrade(this: ClientRequest, _: IncomingMessage, socket: Duplex): void {
  socket.destroy();
  this.emit('error', new Error('the server changed to another protocol'));
}

/** A `fetch` for clients whose server address comes from a customer. */
export type FetchPublicServer = typeof fetch;

/** The longest pause within a response; the caller limits the whole. */
const silenceMsMax = 60_000;
/** The most that provider clients read of one response. Five minutes of sound are less. */
const answerBytesMax = 32 * 1024 * 1024;
/** A connection was checked when it was opened and cannot lead elsewhere later, so it may be reused. */
const kept = { keepAlive: true, maxFreeSockets: 64, timeout: silenceMsMax };
const withoutBody = new Set([204, 205, 304]);

/** Fetches only from the public Internet, including streams. Redirects are returned and never followed. */
export const fetchPublicServer: FetchPublicServer = fetchThrough(publicAddresses);

/** The same under another policy. */
export function fetchThrough(policy: AddressPolicy): FetchPublicServer {
  const agents: Readonly<Record<string, HttpAgent>> = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const { start, lookup } = guardedRequest(policy, url);
    const body = Buffer.from(await request.arrayBuffer());
    const { promise, resolve: answer, reject } = Promise.withResolvers<Response>();
    const { method, signal } = request;
    const own = [...request.headers].filter(([name]) => !isFramingHeader(name));
    const headers = { ...Object.fromEntries(own), 'content-length': String(body.length) };
    const sending = { method, headers, lookup, signal, agent: agents[url.protocol], timeout: silenceMsMax };
    const outgoing = start(url, sending, (response) => answer(responseOf(response)));
    outgoing.on('timeout', () => outgoing.destroy(new Error('the server has fallen silent')));
    outgoing.on('upgrade', refuseUpgrade).on('error', reject).end(body);
    return promise;
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (withoutBody.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(incoming);
  let bytes = 0;
  // The body's stream has paused it, and still decides when it is read.
  incoming.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > answerBytesMax) incoming.destroy(new Error('the answer is too large'));
  });
  return new Response(body, { status, headers });
}
