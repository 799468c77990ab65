import { connect, type Socket } from 'node:net';
import { listAgents } from '@parley/contracts';
import { Harness } from '../../testing/harness';

/** Concurrent requests of one organization, ahead of the other's only one. */
const burst = 200;

describe('organizations at the gateway', () => {
  let harness: Harness;
  let port: number;
  /** The organizations for which a service was asked, in order. */
  const asked: number[] = [];

  beforeAll(async () => {
    harness = await Harness.open(undefined, ['agent-config']);
    const { url } = await harness.startGateway();
    port = Number(new URL(url).port);
    const service = await harness.connect();
    // Nobody answers: only what the gateway asks matters, and when.
    service.subscribe(listAgents.subject, ({ data }) => {
      asked.push(Number(/"orgId":(\d+)/.exec(Buffer.from(data).toString())?.[1]));
    });
  });
  afterAll(() => harness.close());

  const opened = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
    });
  const request = (key: string): string =>
    `POST /api/v1/external/agent/agent-list HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise(setImmediate);
  };

  it('take turns: two hundred requests of one do not delay another’s', async () => {
    const [noisy, quiet] = [harness.organization(), harness.organization()];
    const [theirs, mine] = [await harness.key(noisy, 'wsk'), await harness.key(quiet, 'wsk')];
    const [busy, lonely] = [await opened(), await opened()];
    // Known keys: an unknown one waits for Postgres.
    busy.write(request(theirs.key));
    lonely.write(request(mine.key));
    await until(() => asked.length === 2);
    busy.write(request(theirs.key).repeat(burst));
    lonely.write(request(mine.key));
    await until(() => asked.lastIndexOf(quiet.orgId) > 1);
    const place = asked.slice(2).indexOf(quiet.orgId);
    busy.destroy();
    lonely.destroy();
    expect(place).toBeLessThan(burst / 4);
  });
});
