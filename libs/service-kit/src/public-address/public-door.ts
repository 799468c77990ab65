import { lookup as resolve } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address';

/** The address belongs to nobody whom a customer may reach through us. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Who may be reached, and how. */
export interface Door {
  readonly isAllowed: (address: string) => boolean;
  readonly protocols: readonly string[];
}

/** The open Internet alone. */
export const publicDoor: Door = { isAllowed: isPublicAddress, protocols: ['https:'] };

interface Way {
  readonly start: typeof httpsRequest;
  readonly lookup: LookupFunction;
}

/**
 * How a request to an address that a customer gave is started; AddressRefused when it may not be. The check is made on the
 * address that the connection is about to use, so that a name cannot change between check and use.
 */
export function wayThrough({ isAllowed, protocols }: Door, url: URL): Way {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!protocols.includes(url.protocol)) throw new AddressRefused(`${url.protocol} is not allowed`);
  // A literal address is connected to without being looked up.
  if (isIP(host) && !isAllowed(host)) throw new AddressRefused('the address is not public');
  return { start: url.protocol === 'https:' ? httpsRequest : httpRequest, lookup: checkedLookup(isAllowed) };
}

function checkedLookup(isAllowed: Door['isAllowed']): LookupFunction {
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
