import { generateKeyPairSync } from 'node:crypto';
import type { Principal } from '@parley/contracts';
import { SignedPrincipals } from '@parley/messaging';
import { IntegrationKeyRow } from './integration-key';
import { KnownKey } from './stored-keys';

it('the holder of a known key is composed as text once, however many requests it makes', () => {
  const { privateKey, publicKey: key } = generateKeyPairSync('ed25519');
  const principals = new SignedPrincipals({ caller: 'gateway', privateKey, callers: [{ caller: 'gateway', key }] });
  const row = Object.assign(new IntegrationKeyRow(), { id: 1, allowedIps: [], expiresAt: null });
  const given: Principal = { kind: 'wsk', keyId: 'key', orgId: 1 };
  const holder = new KnownKey(row, given).holderAt('127.0.0.1', Date.now());
  if (!holder) throw new Error('the key has expired');
  const texts = jest.spyOn(JSON, 'stringify');
  const sent = [1, 2, 3].map(() => principals.encode(holder, 1_000));
  expect([texts.mock.calls.length, new Set(sent).size]).toEqual([1, 1]);
  texts.mockRestore();
});
