import { monitorEventLoopDelay } from 'node:perf_hooks';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { agentConfig } from '@parley/apps/agent-config';
import { knowledgeIngest } from '@parley/apps/knowledge-ingest';
import {
  documentBytesMax,
  getDocumentStatus,
  saveDocument,
  saveKnowledgeBase,
  searchKnowledge,
  type Principal,
  type RequestContract,
} from '@parley/contracts';
import { startEmbeddedPostgres } from '@parley/database';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import { DiskFiles } from '@parley/providers/disk-files';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import type { z } from 'zod';
import type { Figures } from '../measure/report';
import { benchHome } from '../measure/running-platform';
import { late } from './reading';
import { percentiles } from './timing';

const pauseMs = 50;
const principal: Principal = { kind: 'system', keyId: 'bench', orgId: 1 };

/** The service in this process with a database of its own, and a caller in front of it. */
async function serve() {
  const home = benchHome();
  const postgres = await startEmbeddedPostgres({ home: home.directory, durability: 'throwaway' });
  const broker = new InProcessBroker();
  const bus = new TransportBus(broker.connect());
  const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false, destination: new PassThrough().resume() });
  const environment = { FILES_DIR: path.join(home.directory, 'files'), VECTORS_DIR: path.join(home.directory, 'vectors') };
  const host = { databaseUrl: postgres.url, logger, metrics: new Metrics() };
  // A knowledge base refers to lookups, which belong to another service.
  const lookups = await startService(agentConfig, {
    ...host,
    environment: { PARLEY_SECRET_KEY: 'bench'.padEnd(32, '.') },
    transport: broker.connect(),
    metrics: new Metrics(),
  });
  const service = await startService(knowledgeIngest, { ...host, environment, transport: broker.connect() });
  return {
    files: new DiskFiles(environment.FILES_DIR),
    ask: <Body extends z.ZodType, Reply extends z.ZodType>(contract: RequestContract<Body, Reply>, body: z.input<Body>) =>
      bus.ask(contract, body, { principal }),
    async stop() {
      await service.stop();
      await lookups.stop();
      await postgres.stop();
      home.remove();
    },
  };
}

/**
 * Runs the whole service while it reads, embeds and indexes a document: how late is its event loop, and how slow are searches
 * meanwhile?
 */
export async function measureIngest(fileName: string, content: Buffer): Promise<Figures> {
  const { files, ask, stop } = await serve();
  const { KBID } = await ask(saveKnowledgeBase, {
    KBKeyID: null,
    KnowledgeBaseName: 'Bench',
    IndustryID: 1,
    AgentTypeID: 1,
    ConversationalModeIDs: '1',
  });
  await files.put('uploads/1/bench', Readable.from([content]), { bytesMax: documentBytesMax });
  let asked = 0;
  // Each question is new, so that none is answered from a cache.
  const search = () => ask(searchKnowledge, { KBID, query: `how often is part number ${(asked += 1)} oiled` });
  await search();
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const startedMs = performance.now();
  const document = { fileKey: 'uploads/1/bench', fileName, size: content.length, contentType: 'application/octet-stream' };
  let status = await ask(saveDocument, { KBID: String(KBID), KBDocumentKeyID: '', document });
  const latencies: number[] = [];
  while (status.status !== 'READY' && status.status !== 'FAILED') {
    const askedMs = performance.now();
    await search();
    latencies.push(performance.now() - askedMs);
    await delay(pauseMs);
    status = await ask(getDocumentStatus, { KBDocumentKeyID: status.KBDocumentKeyID });
  }
  lateness.disable();
  const rate = Math.round((status.progress.total * 1000) / (performance.now() - startedMs));
  await stop();
  return {
    what: `ingest of ${fileName}`,
    state: status.status,
    'chunks/s in': rate,
    'searches meanwhile': percentiles(latencies),
    'loop p99/max ms': late(lateness),
  };
}
