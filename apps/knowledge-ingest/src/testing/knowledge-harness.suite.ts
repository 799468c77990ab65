import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { Controller, Module } from '@nestjs/common';
import {
  documentBytesMax,
  findKnowledgeAgents,
  getDocumentStatus,
  getKnowledgeBase,
  listAgentTypes,
  listIndustries,
  saveDocument,
  saveKnowledgeBase,
  type Principal,
  type RequestContract,
} from '@parley/contracts';
import { Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import { DiskFiles } from '@parley/providers/disk-files';
import {
  createLogger,
  defineService,
  type LogLevel,
  Metrics,
  startService,
  type Environment,
  type RunningService,
} from '@parley/service-kit';
import { eventualAnswer, testDatabase, type TestDatabase } from '@parley/testing';
import { z } from 'zod';
import { knowledgeIngest } from '../service';

/** The part of agent-config that this service uses: lookups with these ids, and agents by their knowledge base. */
const lookupIds = [1, 2, 3];
export const agentsByBase = new Map<number, number[]>();

@Controller()
class ScriptedLookups {
  @Handles(listIndustries)
  industries(): z.output<typeof listIndustries.reply> {
    return lookupIds.map((IndustryTypeID) => ({
      IndustryTypeID,
      IndustryTypeKeyID: randomUUID(),
      name: 'Retail',
      label: 'Retail',
    }));
  }

  @Handles(findKnowledgeAgents)
  ofKnowledge({ KBID }: z.output<typeof findKnowledgeAgents.request>): z.input<typeof findKnowledgeAgents.reply> {
    return { AgentIDs: agentsByBase.get(KBID) ?? [] };
  }

  @Handles(listAgentTypes)
  agentTypes(): z.output<typeof listAgentTypes.reply> {
    return lookupIds.map((AgentTypeID) => ({ AgentTypeID, AgentTypeKeyID: randomUUID(), name: 'Support', label: 'Support' }));
  }
}

@Module({ controllers: [ScriptedLookups] })
class ScriptedAgentConfig {}

const agentConfig = defineService({ name: 'agent-config', config: z.object({}), module: () => ScriptedAgentConfig });

type Status = z.output<typeof getDocumentStatus.reply>;

const patienceMs = 180_000;
const lookEveryMs = 50;

/** The real service with Postgres, files and vectors, and a caller in front of it. */
export class KnowledgeHarness {
  readonly files: DiskFiles;
  private readonly broker = new InProcessBroker();
  private readonly bus = new TransportBus(this.broker.connect());
  private services: RunningService[] = [];
  private uploads = 0;
  private database: TestDatabase | undefined;

  constructor(
    readonly databaseUrl: string,
    readonly folder = mkdtempSync(path.join(tmpdir(), 'parley-knowledge-')),
  ) {
    this.files = new DiskFiles(path.join(folder, 'files'));
  }

  /** The connection of the superuser. */
  get adminUrl(): string {
    return this.database?.adminUrl ?? '';
  }

  /** Opens one with a database of its own. */
  static async open(): Promise<KnowledgeHarness> {
    const database = await testDatabase();
    const harness = new KnowledgeHarness(database.url);
    harness.database = database;
    await harness.start();
    return harness;
  }

  /** Log lines from `level` on are written to `lines`, or dropped. */
  async start(
    environment: Environment = {},
    lines: Writable = new PassThrough().resume(),
    level: LogLevel = 'error',
  ): Promise<void> {
    const logger = createLogger({
      level,
      isReadable: false,
      writesPii: false,
      destination: lines,
    });
    const places = { FILES_DIR: path.join(this.folder, 'files'), VECTORS_DIR: path.join(this.folder, 'vectors') };
    const host = {
      environment: { ...places, ...environment },
      transport: this.broker.connect(),
      databaseUrl: this.databaseUrl,
      logger,
      metrics: new Metrics(),
    };
    this.services = [
      await startService(agentConfig, { ...host, transport: this.broker.connect() }),
      await startService(knowledgeIngest, host),
    ];
  }

  async stop(): Promise<void> {
    for (const service of this.services.splice(0)) await service.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.database?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    orgId = 1,
    held: Partial<Principal> = {},
  ): Promise<z.output<Reply>> {
    const principal: Principal = { kind: 'system', keyId: 'spec', orgId, ...held };
    // A busy machine may take longer than a caller would wait; benchmarks measure how fast answers are.
    return this.bus.ask({ ...contract, timeoutMs: patienceMs }, body, { principal });
  }

  async base(name = 'Demo Bazaar', orgId = 1): Promise<{ KBKeyID: string; KBID: number }> {
    return this.ask(
      saveKnowledgeBase,
      { KBKeyID: null, KnowledgeBaseName: name, IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' },
      orgId,
    );
  }

  async upload(KBID: number, fileName: string, content: string | Uint8Array, { orgId = 1, key = '' } = {}): Promise<Status> {
    const fileKey = `uploads/${orgId}/${(this.uploads += 1)}`;
    const bytes = Buffer.from(content);
    await this.files.put(fileKey, Readable.from([bytes]), { bytesMax: documentBytesMax * 2 });
    const document = {
      fileKey,
      fileName,
      size: Math.min(bytes.length, documentBytesMax),
      contentType: 'application/octet-stream',
    };
    return this.ask(saveDocument, { KBID: String(KBID), KBDocumentKeyID: key, document }, orgId);
  }

  /** How many uploads the file store contains. */
  uploadedFiles(): number {
    return readdirSync(path.join(this.folder, 'files'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  }

  /** The status of a document once it is READY or FAILED. */
  settled({ KBDocumentKeyID }: { KBDocumentKeyID: string }, orgId = 1): Promise<Status> {
    const look = () => this.ask(getDocumentStatus, { KBDocumentKeyID }, orgId);
    return until(look, ({ status }) => status === 'READY' || status === 'FAILED');
  }

  /** Resolves once nothing in a knowledge base waits to be indexed. */
  async indexed({ KBKeyID }: { KBKeyID: string }, orgId = 1): Promise<void> {
    await until(
      () => this.ask(getKnowledgeBase, { KBKeyID }, orgId),
      ({ status }) => status !== 'INDEXING',
    );
  }
}

/** Polls until a state is reached; not too often, because polling is work as well. */
export const until = <T>(look: () => Promise<T>, isReached: (state: T) => boolean): Promise<T> =>
  eventualAnswer(look, isReached, lookEveryMs);
