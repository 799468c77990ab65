import { inOrderOfStopping, services } from './platform';

it('stops calls before the gateway, which holds their credits, and both before the other services', () => {
  const names = inOrderOfStopping(services).map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(['telephony-bridge', 'gateway']);
  expect(names.toSorted()).toEqual(services.map(({ name }) => name).toSorted());
  expect(inOrderOfStopping([{ name: 'speech' }, { name: 'gateway' }]).map(({ name }) => name)).toEqual(['gateway', 'speech']);
});
