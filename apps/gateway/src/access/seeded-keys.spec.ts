import { ConfigurationError, loadConfiguration } from '@parley/service-kit';
import { GatewayConfig } from '../config';
import { agentPrincipal, keys, ownerPrincipal } from '../testing/running-gateway';
import { SeededKeys } from './seeded-keys';

const seeded = new SeededKeys([
  { key: keys.agent, principal: agentPrincipal },
  { key: keys.owner, principal: ownerPrincipal },
]);

test('knows the holder of each seeded key', () => {
  expect(seeded.principalOf(keys.agent)).toEqual(agentPrincipal);
  expect(seeded.principalOf(keys.owner)).toEqual(ownerPrincipal);
});

test.each([`${keys.owner}x`, keys.owner.slice(0, -1), keys.owner.toUpperCase(), ''])('knows nobody by %j', (key) => {
  expect(seeded.principalOf(key)).toBeUndefined();
});

test('keeps no key in memory', () => {
  expect(JSON.stringify(seeded)).not.toContain(keys.owner);
});

test.each(['{', '{}', '[{"key":"wsk_12345678"}]', '[{"key":"short","principal":{"kind":"wsk","keyId":"k","orgId":1}}]'])(
  'the start stops on the list %s without printing it',
  (list) => {
    const load = () => loadConfiguration(GatewayConfig, { PARLEY_SEEDED_KEYS: list });
    expect(load).toThrow(ConfigurationError);
    expect(load).toThrow(/^PARLEY_SEEDED_KEYS is not valid \(its value is secret\): expected a JSON list/);
  },
);
