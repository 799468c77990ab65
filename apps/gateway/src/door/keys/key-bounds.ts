import { BlockList, isIPv6 } from 'node:net';
import { Fault, type Principal } from '@parley/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { IntegrationKeyRow } from './integration-key.entity';

/** Until when a key opens the door, and from where. */
type KeyBounds = Pick<IntegrationKeyRow, 'expiresAt' | 'allowedIps'>;

/** Whether a key ends, or works from some addresses alone. */
export function isBounded({ expiresAt, allowedIps }: KeyBounds): boolean {
  return expiresAt !== null || allowedIps.length > 0;
}

/** Refuses a key that would outlive the caller's own, or open the door from where the caller's own does not. */
export async function requireWithinOwn(manager: EntityManager, caller: Principal, wanted: KeyBounds): Promise<void> {
  const own = await ownKeyOf(manager, caller);
  if (own?.expiresAt && !(wanted.expiresAt && wanted.expiresAt <= own.expiresAt)) {
    throw beyond('expiresAt', `must be at or before ${own.expiresAt.toISOString()}, when the key that makes it ends`);
  }
  if (own && own.allowedIps.length > 0 && !isWithin(wanted.allowedIps, own.allowedIps)) {
    throw beyond('allowedIps', `must name addresses within ${own.allowedIps.join(', ')}, as the key that makes it does`);
  }
}

/** Refuses a key that ends, or works from some addresses alone, to make what opens for anybody and does not end with it. */
export async function requireUnbounded(manager: EntityManager, caller: Principal, what: string): Promise<void> {
  const own = await ownKeyOf(manager, caller);
  if (own?.expiresAt)
    throw new Fault('SCOPE_MISSING', {
      message: `${what} would outlive the key that makes it, which ends at ${own.expiresAt.toISOString()}.`,
    });
  if (own && own.allowedIps.length > 0)
    throw new Fault('SCOPE_MISSING', {
      message: `${what} would open from everywhere; the key that makes it works from ${own.allowedIps.join(', ')} alone.`,
    });
}

/** Callers without a row are services, and visitors who make no keys. */
function ownKeyOf(manager: EntityManager, { orgId, keyId }: Principal): Promise<IntegrationKeyRow | null> {
  return z.uuid().safeParse(keyId).success ? manager.findOneBy(IntegrationKeyRow, { orgId, keyId }) : Promise.resolve(null);
}

function beyond(field: string, message: string): Fault {
  return new Fault('SCOPE_MISSING', { message: `${field} ${message}`, details: [{ field, message }] });
}

function isWithin(wanted: readonly string[], own: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((range) => own.some((each) => covers(each, range)));
}

/** Whether every address of one range lies in another. */
function covers(range: string, inner: string): boolean {
  const [address] = split(inner);
  return (
    bitsOf(range) <= bitsOf(inner) &&
    isIPv6(split(range)[0]) === isIPv6(address) &&
    allowList([range]).check(address, familyOf(address))
  );
}

function bitsOf(range: string): number {
  const [address, bits] = split(range);
  return bits ?? (isIPv6(address) ? 128 : 32);
}

/** The addresses and ranges of a key, to be asked whether an address is among them. */
export function allowList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = split(range);
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function split(range: string): [address: string, bits: number | undefined] {
  const [address = '', bits] = range.split('/');
  return [address, bits === undefined ? undefined : Number(bits)];
}
