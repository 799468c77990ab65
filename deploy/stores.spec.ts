import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { schemas } from '../apps/all-in-one/src/platform';
import { testDatabase } from '../libs/testing/src';
import { messageUses, nkeyVariable, renderNatsUsers } from '../libs/messaging/src';
import { messageUsesInSource } from './checks/message-uses';
import { hasProgram } from './checks/other-program';
import { renderRoles } from './checks/store-roles';
import { repository } from './checks/yaml-documents';

const uses = messageUsesInSource();

function kept(file: string, text: string): string {
  const full = path.join(repository, file);
  if (process.env['UPDATE_DOCS']) writeFileSync(full, text);
  return readFileSync(full, 'utf8');
}

it('the table of message users matches the source (update with UPDATE_DOCS=1 jest deploy/stores)', () => {
  const table = 'libs/messaging/src/uses/message-uses.ts';
  const isUpdated = Boolean(process.env['UPDATE_DOCS']);
  if (isUpdated) {
    kept(table, tableOf(uses));
    execFileSync(process.execPath, [require.resolve('prettier/bin/prettier.cjs'), '--write', path.join(repository, table)]);
  }
  // The table that this process loaded is the one from before the update.
  expect(isUpdated ? uses : messageUses).toEqual(uses);
});

it('the broker’s users match the table', () => {
  const users = renderNatsUsers(uses, (user) => `$${nkeyVariable(user)}`);
  const text = `# Made from the contracts; a test keeps it so. Each name stands for the public half of an nkey: npm run keys\n${users}`;
  expect(kept('deploy/stores/nats-users.conf', text)).toBe(text);
});

it('the Postgres roles match the schemas', () => {
  const script = renderRoles(schemas.map(({ schema }) => schema));
  expect(kept('deploy/stores/10-parley.sql', script)).toBe(script);
});

const hasPsql = hasProgram('psql');
(hasPsql ? it : it.skip)('psql takes passwords from its environment or from files, and stops if one is missing', async () => {
  const lines = readFileSync(path.join(repository, 'deploy/stores/10-parley.sql'), 'utf8').split('\n');
  const head = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('CREATE ROLE')),
  );
  const script = [...head, '\\echo :owner :admin :gateway'].join('\n');
  const names = head.flatMap((line) => /"\$(\w+)" \]/.exec(line)?.[1] ?? []);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-roles-'));
  for (const name of names) writeFileSync(path.join(folder, name), `file of ${name}\n`);
  const database = await testDatabase();
  const run = (environment: Record<string, string>) => {
    const env = { PATH: process.env['PATH'], SECRETS_DIR: folder, ...environment };
    return spawnSync('psql', ['--no-psqlrc', '--quiet', '--tuples-only', database.adminUrl], {
      input: script,
      encoding: 'utf8',
      env,
    });
  };
  expect(run({ DATABASE_PASSWORD_ADMIN: 'said' }).stdout.trim().split('\n').at(-1)).toBe(
    'file of PARLEY_DATABASE_PASSWORD said file of DATABASE_PASSWORD_GATEWAY',
  );
  rmSync(path.join(folder, 'DATABASE_PASSWORD_GATEWAY'));
  expect(run({})).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/DATABASE_PASSWORD_GATEWAY(.|\n)*division by zero/),
    status: 3,
  });
  rmSync(folder, { recursive: true });
  await database.close();
});

it('only services that talk to providers may read organizations’ keys', () => {
  const readers = Object.entries(uses).filter(([, { asks }]) => asks.includes('readProviderSecret'));
  expect(readers.map(([name]) => name).sort()).toEqual(['conversation', 'speech']);
});

function tableOf(table: typeof uses): string {
  return `import type { MessageUses } from './event-consumers';

/** Who uses which message, derived from each service’s source; the broker’s permissions follow from it. */
export const messageUses: MessageUses = ${JSON.stringify(table, null, 2).replaceAll('"', "'")};
`;
}
