// The build as unprivileged processes over real NATS and Postgres.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { deadEvents, firstAnswer, operatorsCommands } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { inTime, readyInTime } from './ready-in-time.mjs';
import { serviceNames, startProcesses } from './processes.mjs';

export async function processChecks(table, home) {
  const folder = path.join(home, 'processes');
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  try {
    const isUp = await table.check('processes: an installation starts from an empty Postgres', async () => {
      installation = await startProcesses(folder, newKeys(folder));
      const migrated = await installation.migrate();
      assert.equal(migrated.code, 0, migrated.err);
      for (const name of serviceNames) await installation.start(name);
      return `${serviceNames.length} services, roles and users of their own`;
    });
    if (!isUp) return;
    const compiling = { ...installation.readyMs };
    const areBack = await table.check('processes: they start again with their code compiled ahead, as in the image', async () => {
      await installation.compileAhead();
      for (const name of serviceNames) {
        await installation.kill(name, 'SIGTERM');
        await installation.start(name);
      }
    });
    if (!areBack) return;
    const cpuMs = (readyMs) => Object.values(readyMs).reduce((sum, { cpu }) => sum + cpu, 0);
    const [without, now] = [cpuMs(compiling), cpuMs(installation.readyMs)];
    inTime(table, 'processes: code compiled ahead saves work at the start', {
      isLate: now >= without,
      seen: `${now} ms of work for all of them, ${without} ms without`,
    });
    readyInTime(table, 'processes', installation.readyMs);
    let used;
    await table.check('processes: organization, key, credits, first answer by the operator’s command', async () => {
      used = await firstAnswer(installation);
      return used.figures;
    });
    if (!used) return;
    await table.check(
      'processes: prices, plans, re-index, secrets, audit by the operator’s command',
      async () => (await operatorsCommands(installation, used)).figures,
    );
    await table.check(
      'processes: an event that was put aside is listed and put back',
      async () => (await deadEvents(installation)).figures,
    );
  } finally {
    await installation?.stop();
  }
}
