// `npm run bench -- knowledge`: how fast knowledge is found in collections of three sizes, and how fast files are read,
// with the lateness of the event loop meanwhile. Words are drawn as in real text: few of them often, most of them seldom.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseDocument } from '@parley/apps/knowledge-ingest/retrieval';
import { toUnitLength } from '@parley/ports';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import { report, type Figures } from '../measure/report';
import { csvOf, pdfOf } from './large-files';

const space = { name: 'bench-512', dimensions: 512 };
const termsPerPassage = 60;
const vocabulary = 30_000;
const searches = 200;
const passagesPerStage = 500;

const word = () => `w${Math.floor(vocabulary ** Math.random())}`;
const randomVector = () => toUnitLength(Float32Array.from({ length: space.dimensions }, () => Math.random() - 0.5));
const question = () => Array.from({ length: 5 }, word);

async function measureRetrieval(count: number): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const store = new SqliteVectorStore({ directory });
  const collection = { orgId: 1, knowledgeBaseId: count };
  await store.prepare(collection, space);
  const startedMs = performance.now();
  for (let from = 0; from < count; from += passagesPerStage) {
    const passages = Array.from({ length: Math.min(passagesPerStage, count - from) }, (_, index) => {
      const terms = Array.from({ length: termsPerPassage }, word);
      return { sourceId: 'a', version: 1, ordinal: from + index, kind: 'document' as const, text: terms.join(' '), citation: {}, vector: randomVector(), terms };
    });
    await store.stage(collection, space, passages);
  }
  await store.publish(collection, 'a', 1);
  const insertMs = performance.now() - startedMs;
  const dense = await timed(() => store.searchDense(collection, { space, vector: randomVector(), limit: 30 }));
  const lexical = await timed(() => store.searchLexical(collection, { terms: question(), limit: 30 }));
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  return { what: `retrieval, ${count} chunks`, 'chunks/s in': Math.round((count / insertMs) * 1000), 'dense p50/p99 ms': dense, 'words p50/p99 ms': lexical };
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  for (let round = 0; round < 10; round += 1) await work();
  const latencies: number[] = [];
  for (let round = 0; round < searches; round += 1) {
    const startedMs = performance.now();
    await work();
    latencies.push(performance.now() - startedMs);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  return `${at(0.5)} / ${at(0.99)}`;
}

async function measureReading(type: 'pdf' | 'csv', content: Buffer, units: number): Promise<Figures> {
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const startedMs = performance.now();
  const { chunks } = await parseDocument(type, content, { timeoutMs: 120_000 });
  const seconds = (performance.now() - startedMs) / 1000;
  lateness.disable();
  const late = `${(lateness.percentile(99) / 1e6).toFixed(1)} / ${(lateness.max / 1e6).toFixed(1)}`;
  return { what: `reading a ${type} of ${units}`, [type === 'pdf' ? 'pages/s' : 'rows/s']: Math.round(units / seconds), chunks: chunks.length, 'loop p99/max ms': late };
}

async function main(): Promise<void> {
  const rows: Figures[] = [];
  for (const count of [1_000, 20_000, 100_000]) rows.push(await measureRetrieval(count));
  rows.push(await measureReading('pdf', pdfOf(1_000), 1_000));
  rows.push(await measureReading('csv', csvOf(50_000), 50_000));
  report('knowledge', rows);
}

void main();
