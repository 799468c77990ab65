import { BlockList, isIP } from 'node:net';

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
/** Also the forms that carry an IPv4 address within: mapped, translated, 6to4 and Teredo. */
const innerV6 = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 32],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;
// Two lists: in one, Node would take every IPv4 address for a mapped IPv6 one.
const [v4, v6] = [new BlockList(), new BlockList()];
for (const [network, prefix] of innerV4) v4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of innerV6) v6.addSubnet(network, prefix, 'ipv6');

/** Whether an address is one of the open Internet: not of this machine, this network, a cloud's metadata or a special range. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !v4.check(address, 'ipv4');
  return family === 6 && !v6.check(address, 'ipv6');
}
