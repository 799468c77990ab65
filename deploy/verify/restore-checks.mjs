// Everything is lost but the backup: dump, wipe, restore, as docs/deployment.md tells it, with Postgres' own programs.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { apiOf, done, firstAnswer, until } from './first-answer.mjs';
import { newKeys } from './keys.mjs';
import { findPostgres } from './postgres-pair.mjs';
import { serviceNames, startProcesses } from './processes.mjs';

const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];
const document = 'The workshop repairs bicycles. A new chain costs 850 rupees and takes two days.';
const question = { question: 'What does a new chain cost?' };

export async function restoreChecks(table, home) {
  const title = 'restore: dump, everything lost but dump and files, restore';
  const postgresBin = findPostgres(programs);
  if (!postgresBin) return table.cannot(title, `no Postgres with ${programs.join(', ')} here (Debian: postgresql)`);
  const folder = path.join(home, 'restore');
  mkdirSync(folder, { mode: 0o755 });
  let installation;
  try {
    let used;
    const isUp = await table.check('restore: an installation with an organization, a document and a spent credit', async () => {
      installation = await startProcesses(folder, newKeys(folder), { postgresBin });
      await startAll(installation);
      used = await firstAnswer(installation);
      await addDocument(installation, used);
      return postgresBin;
    });
    if (!isUp) return;
    const before = await figuresOf(installation, used);
    const isRestored = await table.check(title, async () => {
      await installation.backUp();
      await installation.loseEverything();
      await installation.restore();
      await startAll(installation);
      return 'services started from the dump';
    });
    if (!isRestored) return;
    await table.check('restore: the same keys, balances, audit and documents', async () => {
      assert.deepEqual(await figuresOf(installation, used), before);
      return JSON.stringify(before).slice(0, 120);
    });
    await table.check(
      'restore: files are read again: lost vectors come back by knowledge reindex, and the document is answered from',
      async () => {
        const { code, err } = await installation.admin('knowledge', 'reindex', '--json');
        assert.equal(code, 0, err);
        return answerFromDocument(installation, used);
      },
    );
    await table.check('restore: the same dump over the data of an installation that was used since', async () => {
      await installation.stopAll();
      await installation.restore();
      await startAll(installation);
      assert.deepEqual(await figuresOf(installation, used), before);
      return 'as when it was dumped';
    });
  } finally {
    await installation?.stop();
  }
}

async function startAll(installation) {
  const migrated = await installation.migrate();
  assert.equal(migrated.code, 0, migrated.err);
  for (const name of serviceNames) await installation.start(name);
}

/** What a customer would compare. */
export async function figuresOf(installation, { made }) {
  const api = apiOf(installation.url);
  const { balances } = (await done(api('/api/v1/external/credits/balance', made.key))).data;
  const { totalCount: audits } = await done(api('/api/v1/external/audit/list', made.key, { pageSize: 1 }));
  assert.ok(audits > 0, 'the audit log has lines');
  const documents = (await done(api('/api/v1/external/kb-doc/list', made.key, { KBID: 1 }))).data;
  // Indexing a document again changes when it was updated and how far that is.
  const kept = documents.map(({ UpdatedOn, progress, status, ...document }) => document);
  return { balances, audits, documents: kept };
}

export async function addDocument(installation, used) {
  const form = new FormData();
  form.set('KBID', '1');
  form.set('document', new Blob([document], { type: 'text/plain' }), 'workshop.txt');
  const answer = await fetch(`${installation.url}/api/v1/external/kb-doc/add-update`, {
    method: 'POST',
    headers: { 'x-api-key': used.made.key },
    body: form,
  });
  assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  await answerFromDocument(installation, used);
}

export async function answerFromDocument(installation, { agentKey }) {
  const { body } = await until(
    () => apiOf(installation.url)('/api/v1/ttt', agentKey, question),
    (seen) => seen.status === 200 && seen.body.answer.includes('850'),
  );
  return `answered: ${body.answer}`;
}
