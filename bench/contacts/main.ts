// `npm run bench -- contacts`: how long a hundred thousand contacts take from the stored file to Postgres, and how much memory
// that needs.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PassThrough } from 'node:stream';
import { teamSales } from '@parley/apps/team-sales';
import {
  acceptInvite,
  createOrganization,
  listMailOutbox,
  listRepresentatives,
  type Principal,
  saveInvite,
  uploadContacts,
} from '@parley/contracts';
import { startEmbeddedPostgres } from '@parley/database';
import { InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import { DiskFiles } from '@parley/providers/disk-files';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import { memoryPeakOf } from '../measure/memory-peak';
import { report, type Figures } from '../measure/report';
import { contactsCsv } from './contacts-csv';

const rows = 100_000;
const badEvery = 100;

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const database = await startEmbeddedPostgres({ home: folder });
  const broker = new InProcessBroker();
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false, destination: new PassThrough() });
  const environment = { FILES_DIR: path.join(folder, 'files') };
  const service = await startService(teamSales, {
    environment,
    transport: broker.connect(),
    databaseUrl: database.url,
    logger,
    metrics: new Metrics(),
  });
  try {
    report('contacts', await measureUploads(new TransportBus(broker.connect()), environment.FILES_DIR));
  } finally {
    await service.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureUploads(bus: ServiceBus, folder: string): Promise<Figures[]> {
  const { principal, SalesUserID, orgId } = await anOrganization(bus);
  const files = new DiskFiles(folder);
  const upload = async (what: string, count: number): Promise<Figures> => {
    const { key, bytes } = await files.put(`contacts/${orgId}/${randomUUID()}.csv`, contactsCsv(count, badEvery), {
      bytesMax: 10 * 1024 * 1024,
    });
    const file = { fileKey: key, fileName: 'leads.csv', size: bytes, contentType: 'text/csv' };
    return measured(what, async () => {
      const done = await bus.ask(uploadContacts, { SalesUserID, file }, { principal });
      const { createdCount, updatedCount, unchangedCount, assignedCount, errorCount } = done;
      return {
        MB: (bytes / 1e6).toFixed(1),
        rows: done.rowCount,
        created: createdCount,
        updated: updatedCount,
        unchanged: unchangedCount,
        assigned: assignedCount,
        bad: errorCount,
      };
    });
  };
  // What the first upload loads and compiles counts as part of the idle service, not of the file.
  await upload('warm-up', 1_000);
  return [await upload('first upload', rows), await upload('the same file again', rows)];
}

async function measured(what: string, work: () => Promise<Figures>): Promise<Figures> {
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const startedMs = performance.now();
  const { result: figures, overIdleBytes } = await memoryPeakOf(work);
  const seconds = (performance.now() - startedMs) / 1_000;
  lateness.disable();
  return {
    what,
    ...figures,
    seconds: seconds.toFixed(1),
    'peak MiB over idle': (overIdleBytes / 1024 / 1024).toFixed(0),
    'loop late p99 ms': (lateness.percentile(99) / 1e6).toFixed(0),
  };
}

async function anOrganization(bus: ServiceBus): Promise<{ principal: Principal; SalesUserID: number; orgId: number }> {
  const owner = { email: 'owner@example.com', name: 'Asha Kulkarni' };
  const organization = {
    OrgKeyID: randomUUID(),
    OrganizationName: 'Demo Bazaar',
    timezone: 'Asia/Kolkata',
    defaultRegion: 'IN',
    owner,
  };
  const { OrgID: orgId, memberAdminID: memberId } = await bus.ask(createOrganization, organization);
  const principal: Principal = { kind: 'wsk', keyId: 'bench', orgId, memberId, roleTypeId: 1 };
  const invitation = {
    action: 'ADD',
    emails: ['seller@example.com'],
    roleTypeID: 3,
    userType: 'Mobile App',
    agentAccessScope: 'ALL',
  } as const;
  await bus.ask(saveInvite, { ...invitation, emails: [...invitation.emails] }, { principal });
  const { rows: mails } = await bus.ask(listMailOutbox, {}, { principal });
  const token = /inv_[\w-]+/.exec(mails[0]?.text ?? '')?.[0];
  await bus.ask(acceptInvite, { token }, { principal });
  const { rows: team } = await bus.ask(listRepresentatives, {}, { principal });
  return { principal, orgId, SalesUserID: team[0]?.SalesUserID ?? 0 };
}

void main();
