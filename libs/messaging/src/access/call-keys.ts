import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { serviceNames } from '@parley/contracts';

/** Everybody who calls: the services, the operator's command, and the host that sets up a platform on one machine. */
export const callers = [...serviceNames, 'admin', 'host'] as const;
export type Caller = (typeof callers)[number];

/** Those that speak for somebody: the gateway for its clients, the others as themselves for an organization. */
export const callersWithKeys = ['gateway', 'agent-config', 'telephony-bridge', 'admin'] as const satisfies Caller[];

/** The public half of a caller's key. One caller may have several while its key is changed. */
export interface CallerKey {
  readonly caller: Caller;
  readonly key: KeyObject;
}

const seedBytes = 32;
/** What PKCS #8 puts in front of the 32 bytes of an Ed25519 key. */
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of 32 bytes in base64url. Throws for anything else. */
export function privateCallKey(seed: string): KeyObject {
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.byteLength !== seedBytes) throw new TypeError('a call key is 32 bytes in base64url');
  return createPrivateKey({ key: Buffer.concat([privateHead, bytes]), format: 'der', type: 'pkcs8' });
}

/** `gateway:<public key>`, as `newCallKey` writes it. Throws for an unknown caller and for what is no key. */
export function callerKey(text: string): CallerKey {
  const [name = '', x = ''] = text.split(':');
  const caller = callers.find((known) => known === name);
  if (!caller || Buffer.from(x, 'base64url').byteLength !== seedBytes) throw new TypeError('expected gateway:<public key>');
  return { caller, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/** Makes a caller's key: the secret half for itself, the public one for everybody. */
export function newCallKey(caller: Caller): { seed: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  return { seed: d, publicKey: `${caller}:${x}` };
}
