import { describeConfiguration } from '@parley/service-kit';
import { readOptions } from '../config';
import { services } from '../platform';
import { planMembers } from './cluster';

const membersFor = (environment: NodeJS.ProcessEnv, args: string[] = []) => {
  const setup = {
    options: readOptions(args, {}),
    doorPort: 8080,
    telephonyPort: 8090,
    databaseUrlOf: (schema: string) => `postgres://127.0.0.1/${schema}`,
    operatorDatabaseUrl: 'postgres://127.0.0.1/operator',
    environment,
    drainSeconds: 25,
  };
  return planMembers(setup, () => ({}));
};

it('each process of a cluster is given the secrets that it reads, and no others', async () => {
  const secrets = describeConfiguration(services).filter(({ isSecret, service }) => isSecret && service !== 'every service');
  const environment = Object.fromEntries(secrets.map(({ variable }) => [variable, 'secret']));
  const members = await membersFor({ ...environment, PARLEY_LOG_LEVEL: 'warn' });
  expect(members.length).toBe(8);
  for (const { service, plan } of members) {
    const own = secrets.filter((row) => row.service === service).map(({ variable }) => variable);
    const given = Object.keys(environment).filter((name) => plan.environment[name] === 'secret');
    expect([service, ...given.toSorted()]).toEqual([service, ...own.toSorted()]);
    expect(plan.environment['PARLEY_LOG_LEVEL']).toBe('warn');
  }
});

describe('several bridges on one machine', () => {
  const planned = async (environment: NodeJS.ProcessEnv) => {
    const members = await membersFor(environment, ['--replicas', 'telephony-bridge=3']);
    return members.filter(({ service }) => service === 'telephony-bridge').map(({ plan }) => plan.environment);
  };

  it('have only the first listen for AudioSocket, since a port has one listener and a PBX one address', async () => {
    const bridges = await planned({ AUDIOSOCKET_PORT: '9092' });
    expect(bridges.map((environment) => environment['AUDIOSOCKET_PORT'])).toEqual(['9092', undefined, undefined]);
    expect(bridges[0]?.['TELEPHONY_PORT']).toBe('8090');
    expect(new Set(bridges.map((environment) => environment['TELEPHONY_PORT'])).size).toBe(3);
  });

  it('have none listen for it without a port', async () => {
    expect((await planned({})).map((environment) => environment['AUDIOSOCKET_PORT'])).toEqual([undefined, undefined, undefined]);
  });
});
