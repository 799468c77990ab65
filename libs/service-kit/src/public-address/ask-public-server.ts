import { lookup as resolve } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address';

export interface PublicRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** What is read of the answer; the rest is left. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export interface PublicAnswer {
  readonly status: number;
  readonly body: string;
}

/** A way to ask a server whose address a customer gave. Tests put their own in its place. */
export type AskPublicServer = (request: PublicRequest) => Promise<PublicAnswer>;

/** The address belongs to nobody whom a customer may reach through us. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

interface Door {
  readonly isAllowed: (address: string) => boolean;
  readonly protocols: readonly string[];
}

/**
 * Asks servers of the open Internet alone. The check is made on the address that the connection is about to use, so that
 * a name cannot change between check and use; redirects are answers like any other and never followed.
 */
export const askPublicServer: AskPublicServer = askThrough({ isAllowed: isPublicAddress, protocols: ['https:'] });

/** The same with other rules about who may be reached. */
export function askThrough(door: Door): AskPublicServer {
  return (request) => {
    const url = new URL(request.url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (!door.protocols.includes(url.protocol)) return Promise.reject(new AddressRefused(`${url.protocol} is not allowed`));
    // A literal address is connected to without being looked up.
    if (isIP(host) && !door.isAllowed(host)) return Promise.reject(new AddressRefused('the address is not public'));
    return send(url, request, checkedLookup(door.isAllowed));
  };
}

function send(
  url: URL,
  { method = 'GET', headers, body, timeoutMs, bytesMax, signal }: PublicRequest,
  lookup: LookupFunction,
): Promise<PublicAnswer> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<PublicAnswer>();
  const until = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
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
  outgoing.on('error', reject).end(body);
  return promise;
}

function checkedLookup(isAllowed: (address: string) => boolean): LookupFunction {
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
