import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const tool = path.resolve(__dirname, '../../../../tools/chaos.mjs');

describe('credits', () => {
  // A cluster of its own: the journeys beside this one shall not notice. Each of gateway, services, NATS and Postgres dies once.
  it('are all there, and every answered call is charged once, after kill -9 of everything that money passes through', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [tool, 'credits', '--kills', '5']);
    const outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({ difference: 0, held: 0, breaks: 0, staleHolds: 0, acknowledgedWrongly: 0, linesTooMany: 0, givenUp: 0 });
    expect(Object.values(outcome.kills)).toEqual([1, 1, 1, 1, 1]);
    expect(outcome.acknowledged).toBeGreaterThan(100);
    expect(outcome.ledger).toBeGreaterThan(0);
  }, 150_000);
});
