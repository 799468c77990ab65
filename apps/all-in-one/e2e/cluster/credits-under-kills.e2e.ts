import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const tool = path.resolve(__dirname, '../../../../tools/chaos.mjs');

/** Removes the replica number after a service's name. */
function deathsByKind(kills: Record<string, number>): Record<string, number> {
  const deaths: Record<string, number> = {};
  for (const [name, times] of Object.entries(kills)) {
    const [kind = name] = name.split('.');
    deaths[kind] = (deaths[kind] ?? 0) + times;
  }
  return deaths;
}

describe('credits', () => {
  // A cluster of its own, so that other journeys are not disturbed. Gateways, services, NATS and Postgres are each killed four
  // times.
  it('balance, and every answered call is charged once, after kill -9 of everything on the path of money', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [tool, 'credits', '--kills', '20']);
    const outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({
      difference: 0,
      held: 0,
      breaks: 0,
      staleHolds: 0,
      acknowledgedWrongly: 0,
      linesTooMany: 0,
      givenUp: 0,
    });
    expect(deathsByKind(outcome.kills)).toEqual({ gateway: 4, conversation: 4, 'agent-config': 4, nats: 4, postgres: 4 });
    expect(outcome.acknowledged).toBeGreaterThan(100);
    expect(outcome.ledger).toBeGreaterThan(0);
    expect(outcome.shared).toBeGreaterThan(0);
  }, 420_000);
});
