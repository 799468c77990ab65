import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfiguration } from '@parley/service-kit';
import { KnowledgeVariables } from './config';
import { ConfiguredEngines } from './engines';

// Threads are read from /proc.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux('the first question starts no thread: those of questions are there once the engines are warm', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-warm-'));
  const places = { FILES_DIR: path.join(folder, 'files'), VECTORS_DIR: path.join(folder, 'vectors') };
  const engines = new ConfiguredEngines(loadConfiguration(KnowledgeVariables, places));
  const threads = () => readdirSync('/proc/self/task');
  const cold = threads();
  await engines.warm();
  const warm = threads();
  expect(warm.filter((thread) => !cold.includes(thread)).length).toBeGreaterThanOrEqual(3);
  const collection = { orgId: 1, knowledgeBaseId: 1 };
  await engines.embeddings.embed(['When do you open?'], { as: 'question' });
  const lexical = { terms: ['open'], limit: 3 };
  await Promise.all([1, 2].map(() => engines.vectors.search(collection, [{ lexical }])));
  expect(threads().filter((thread) => !warm.includes(thread))).toEqual([]);
  await engines.onApplicationShutdown();
  rmSync(folder, { recursive: true });
});
