import { writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { schemas } from '../apps/all-in-one/src/platform';
import { messageUses, nkeyVariable, renderNatsUsers } from '../libs/messaging/src';
import { messageUsesInSource } from './checks/message-uses';
import { renderRoles } from './checks/store-roles';
import { repository } from './checks/yaml-documents';

const uses = messageUsesInSource();

function kept(file: string, text: string): string {
  const full = path.join(repository, file);
  if (process.env['UPDATE_DOCS']) writeFileSync(full, text);
  return readFileSync(full, 'utf8');
}

it('the table of who uses which message says what the source says (renew it with UPDATE_DOCS=1 jest deploy/stores, twice)', () => {
  if (process.env['UPDATE_DOCS']) kept('libs/messaging/src/broker/message-uses.ts', tableOf(uses));
  expect(messageUses).toEqual(uses);
});

it('the users of the broker are those of the table', () => {
  const users = renderNatsUsers(messageUses, (user) => `$${nkeyVariable(user)}`);
  const text = `# Made from the contracts; a test keeps it so. Each name stands for the public half of an nkey: npm run keys\n${users}`;
  expect(kept('deploy/stores/nats-users.conf', text)).toBe(text);
});

it('the roles of Postgres are those of the schemas', () => {
  const script = renderRoles(schemas.map(({ schema }) => schema));
  expect(kept('deploy/stores/10-parley.sql', script)).toBe(script);
});

it('only the services that talk with providers may read the keys that organizations bring', () => {
  const readers = Object.entries(uses).filter(([, { asks }]) => asks.includes('readProviderSecret'));
  expect(readers.map(([name]) => name).sort()).toEqual(['conversation', 'speech']);
});

function tableOf(table: typeof uses): string {
  return `import type { MessageUses } from './message-rights';

/** Who uses which message, made from the source of each service: the rights that it has at the broker follow from it. */
export const messageUses: MessageUses = ${JSON.stringify(table, null, 2).replaceAll('"', "'")};
`;
}
