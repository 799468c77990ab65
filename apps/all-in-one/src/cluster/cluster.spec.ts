import { readOptions } from '../config';
import { planMembers } from './cluster';

describe('several bridges on one machine', () => {
  const planned = async (environment: NodeJS.ProcessEnv) => {
    const setup = {
      options: readOptions(['--replicas', 'telephony-bridge=3'], {}),
      doorPort: 8080,
      telephonyPort: 8090,
      databaseUrlOf: (schema: string) => `postgres://127.0.0.1/${schema}`,
      environment,
    };
    const members = await planMembers(setup, () => ({}));
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
