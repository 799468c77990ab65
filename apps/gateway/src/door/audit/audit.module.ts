import { Controller, type DynamicModule, Injectable, Module } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  listAudit,
  listMyOrganizations,
  type Principal,
  readMemberPrincipal,
  sealGatewaySecrets,
  verifyAudit,
} from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf, requireOperator, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { type FileStoreVariables, openFileStore } from '@parley/providers/configured-files';
import { firstInstant, firstInstantAfter, isDay, SealedSecrets, type SecretKeyVariables } from '@parley/service-kit';
import { Brackets, type EntityManager, IsNull, MoreThan } from 'typeorm';
import { z } from 'zod';
import { Archive, ArchiveBroken, archiveOf } from '../../archive/archive';
import { callerOf } from '../../endpoint/gateway-call';
import { ActionTrail } from './recorded-actions';
import { AuditEntryRow, type ChainHead, ChainKey, ChainWalk } from './chain';
import { ChainNotes, NoteForged } from './chain-notes';
import { AuditSweep, AuditTrail } from './audit-trail';

type AuditVariables = SecretKeyVariables & z.output<typeof FileStoreVariables> & { readonly AUDIT_MONTHS: number };

/** The audit log: written by the gateway's own routes, read over the bus. */
@Module({})
export class AuditModule {
  static with({
    PARLEY_SECRET_KEY: secretKey,
    PARLEY_SECRET_KEYS_OLD: oldSecretKeys,
    AUDIT_MONTHS: months,
    ...files
  }: AuditVariables): DynamicModule {
    const book = { name: 'audit', table: 'audit_entries', id: 'id', time: 'created_on', months } as const;
    const seals = { provide: SealedSecrets, useValue: new SealedSecrets({ secretKey, oldSecretKeys }) };
    const trail = { provide: ActionTrail, useExisting: AuditTrail };
    const store = { provide: FileStore, useFactory: () => openFileStore(files) };
    const keepers = [ChainKey, ChainNotes, AuditReader, AuditSweep, AuditTrail];
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [seals, store, archiveOf(book, files), ...keepers, trail],
      exports: [ActionTrail, AuditTrail, FileStore],
    };
  }
}

type ListAuditRequest = z.output<(typeof listAudit)['request']>;
type AuditVerification = z.output<(typeof verifyAudit)['reply']>;

const columns = { CreatedOn: 'entry.createdOn', action: 'entry.action' } as const;
const readAtOnce = 500;
const verifiedMax = 3;

/** Reads an organization's audit log, and verifies that it was not changed. */
@Injectable()
class AuditReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly chain: ChainKey,
    private readonly notes: ChainNotes,
    private readonly archive: Archive,
  ) {}

  /** A caller restricted to certain agents sees its own actions: entries do not say which agent they concern. */
  async list(
    filter: ListAuditRequest,
    { orgId, agentIds, memberId }: Principal,
  ): Promise<Page<AuditEntryRow> & { begin: Date | null }> {
    const timezone = await this.timeZoneFor(filter);
    if (filter.memberAdminID) await this.requireKnown(filter.memberAdminID, { orgId, agentIds, memberId });
    const { searchName, action, memberAdminID, startDate, endDate, sortColumn } = filter;
    const from = startDate ? firstInstant(startDate, timezone) : null;
    const page = this.tenants.read(orgId, (manager) => {
      const entries = manager.createQueryBuilder(AuditEntryRow, 'entry').where({ orgId });
      if (agentIds) entries.andWhere({ memberId: memberId ?? IsNull() });
      if (action) entries.andWhere({ action });
      if (memberAdminID) entries.andWhere({ memberId: memberAdminID });
      if (from) entries.andWhere('entry.createdOn >= :from', { from });
      if (endDate) entries.andWhere('entry.createdOn < :until', { until: firstInstantAfter(endDate, timezone) });
      if (searchName) entries.andWhere(named(searchName));
      return pageOf(entries, filter, { by: columns[sortColumn] });
    });
    const [found, begin] = await Promise.all([page, this.archive.beginOf(orgId, from)]);
    return { ...found, begin };
  }

  /** Members who left are known by their actions. A member whose actions the caller may not see counts as unknown. */
  private async requireKnown(id: string, { orgId, agentIds, memberId }: Pick<Principal, 'orgId' | 'agentIds' | 'memberId'>) {
    if (agentIds && id !== memberId) throw new Fault('NOT_FOUND', { message: 'There is no such member.' });
    await this.bus.ask(readMemberPrincipal, { orgId, memberId: id }).catch(async (error: unknown) => {
      const isNobody = error instanceof Fault && error.code === 'NOT_FOUND';
      const hasLeft = () => this.tenants.read(orgId, (manager) => manager.existsBy(AuditEntryRow, { orgId, memberId: id }));
      if (!isNobody) throw error;
      if (!(await hasLeft())) throw new Fault('NOT_FOUND', { message: 'There is no such member.' });
    });
  }

  /**
   * Verifies the chain from its beginning, archived lines included; stops at the first line that does not follow from the
   * previous one.
   */
  async verify(orgId: number, signal?: AbortSignal): Promise<AuditVerification> {
    for (let attempt = 1; ; attempt += 1) {
      const archivedTo = await this.archive.lastOf(orgId);
      const verdict = await this.walk(orgId, signal);
      // Lines archived during the walk may have been missed in both places.
      const isSteady = archivedTo === (await this.archive.lastOf(orgId));
      if (verdict.isIntact || isSteady || attempt === verifiedMax) return verdict;
    }
  }

  private async walk(orgId: number, signal?: AbortSignal): Promise<AuditVerification> {
    const seal = await this.chain.seal();
    const head = await this.tenants.read(orgId, (manager) => headOf(manager, orgId));
    let walk = new ChainWalk(orgId, seal, head);
    try {
      walk = new ChainWalk(orgId, seal, head, await this.notes.noted(orgId));
      for await (const line of this.archive.archived(orgId)) {
        signal?.throwIfAborted();
        const broken = walk.take([archivedEntry(line)]);
        if (broken) return broken;
      }
    } catch (error) {
      if (error instanceof ArchiveBroken || error instanceof NoteForged) return walk.broken(error.message, undefined);
      throw error;
    }
    return this.walkTable(walk, orgId, signal);
  }

  private walkTable(walk: ChainWalk, orgId: number, signal?: AbortSignal): Promise<AuditVerification> {
    return this.tenants.read(orgId, async (manager) => {
      for (let rows = await linesAfter(manager, orgId, walk.lastId); ; rows = await linesAfter(manager, orgId, walk.lastId)) {
        signal?.throwIfAborted();
        const broken = walk.take(rows);
        if (broken) return broken;
        if (rows.length > 0) continue;
        const verdict = walk.end(await headOf(manager, orgId));
        // A line added during the walk moved the end.
        if (verdict.isIntact || (await linesAfter(manager, orgId, walk.lastId)).length === 0) return verdict;
      }
    });
  }

  /** A day begins and ends in the organization's own time zone. */
  private async timeZoneFor({ startDate, endDate }: ListAuditRequest): Promise<string> {
    if (![startDate, endDate].some(isDay)) return 'UTC';
    const organizations = await this.bus.ask(listMyOrganizations, {});
    return organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
  }
}

async function headOf(manager: EntityManager, orgId: number): Promise<ChainHead | undefined> {
  const [head]: ChainHead[] = await manager.query(
    `SELECT hash, entries, seal, unsealed_entries AS "unsealedEntries", unsealed_hash AS "unsealedHash",
       unsealed_seal AS "unsealedSeal" FROM audit_heads WHERE org_id = $1`,
    [orgId],
  );
  return head;
}

/** A line as stored in its table: archive files keep the column names. */
const ArchivedLine = z
  .record(z.string(), z.unknown())
  .transform((line) =>
    Object.fromEntries(
      Object.entries(line).map(([name, value]) => [name.replaceAll(/_(\w)/g, (_, first: string) => first.toUpperCase()), value]),
    ),
  )
  .pipe(
    z.object({
      id: z.int(),
      orgId: z.int(),
      keyId: z.string(),
      action: z.string(),
      memberId: z.string().nullable(),
      integrationKeyId: z.string().nullable(),
      integrationId: z.int().nullable(),
      subject: z.string(),
      before: z.custom<object | null>((value) => typeof value === 'object'),
      after: z.custom<object | null>((value) => typeof value === 'object'),
      requestId: z.string(),
      outcome: z.string(),
      previousHash: z.string(),
      hash: z.string(),
      createdOn: z.coerce.date(),
    }),
  );

function archivedEntry(line: unknown): AuditEntryRow {
  return ArchivedLine.parse(line);
}

function linesAfter(manager: EntityManager, orgId: number, id: number): Promise<AuditEntryRow[]> {
  return manager.find(AuditEntryRow, { where: { orgId, id: MoreThan(id) }, order: { id: 'ASC' }, take: readAtOnce });
}

function named(text: string): Brackets {
  const pattern = containing(text);
  return new Brackets((any) =>
    any.where('entry.action ILIKE :pattern', { pattern }).orWhere('entry.subject ILIKE :pattern', { pattern }),
  );
}

/** Handles requests about the audit log. */
@Controller()
class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly chain: ChainKey,
  ) {}

  @Handles(listAudit)
  async list(body: BodyOf<typeof listAudit>, call: Call) {
    const { begin, ...page } = await this.reader.list(body, callerOf(call));
    return { ...page, rows: page.rows.map(listed), archivedBefore: begin?.toISOString() ?? null };
  }

  @Handles(verifyAudit)
  verify(_body: object, call: Call) {
    return this.reader.verify(organizationOf(call), call.signal);
  }

  @Handles(sealGatewaySecrets)
  sealAgain(_body: object, call: Call) {
    requireOperator(call);
    return this.chain.sealAgain();
  }
}

function listed({ id, keyId, integrationKeyId, integrationId, memberId, createdOn, ...row }: AuditEntryRow) {
  return {
    ...row,
    AuditEntryKeyID: keyId,
    AuditEntryID: id,
    memberAdminID: memberId,
    IntegrationKeyID: integrationKeyId,
    IntegrationID: integrationId,
    CreatedOn: createdOn.toISOString(),
  };
}
