import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getDocumentStatus, saveFaqs } from '@parley/contracts';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import { KnowledgeHarness } from './knowledge-harness.suite';

const lookMs = 5;

/**
 * Runs the service in a process of its own, which continues with a document and kills itself once a number of passages are done.
 */
export async function ingestUntilDone(
  databaseUrl: string,
  folder: string,
  KBDocumentKeyID: string,
  passages: string,
): Promise<void> {
  const harness = new KnowledgeHarness(databaseUrl, folder);
  await harness.start();
  for (;;) {
    const { progress } = await harness.ask(getDocumentStatus, { KBDocumentKeyID });
    if (progress.done >= Number(passages)) process.kill(process.pid, 'SIGKILL');
    await delay(lookMs);
  }
}

/** What the crashed process leaves for the next one. */
export interface LeftBehind {
  readonly base: { readonly KBID: number; readonly KBKeyID: string };
  readonly document: { readonly KBDocumentKeyID: string };
}

const calls = ['prepare', 'stage', 'publish'] as const;

/**
 * Runs the service in a process of its own, which saves a document and an FAQ and then kills itself like a crash: just before or
 * just after the nth call of the vector store, such as `before publish 1`.
 */
export async function ingestUntilCrash(databaseUrl: string, folder: string, point: string): Promise<void> {
  const saved = Promise.withResolvers<void>();
  crashAt(point, saved.promise);
  const harness = new KnowledgeHarness(databaseUrl, folder);
  await harness.start();
  const base = await harness.base();
  const document = await harness.upload(base.KBID, 'rules.md', '# One\n\nThe kettle is red.\n\n# Two\n\nThe lamp is blue.');
  await harness.ask(saveFaqs, { KBID: base.KBID, faqs: [{ KBFAQID: 0, Question: 'Do you deliver?', Answer: 'Yes.' }] });
  writeSync(1, JSON.stringify({ base, document } satisfies LeftBehind));
  saved.resolve();
}

function crashAt(point: string, begin: Promise<void>): void {
  const [moment, name, nth] = point.split(' ');
  const call = calls.find((known) => known === name);
  if (!call) throw new TypeError('no such call');
  const original = SqliteVectorStore.prototype[call];
  let count = 0;
  const crash = () => process.kill(process.pid, 'SIGKILL');
  Object.defineProperty(SqliteVectorStore.prototype, call, {
    async value(this: SqliteVectorStore, ...args: unknown[]) {
      await begin;
      const isLast = (count += 1) === Number(nth);
      if (isLast && moment === 'before') crash();
      await Reflect.apply(original, this, args);
      if (isLast) crash();
    },
  });
}
