import {
  type BeforeApplicationShutdown,
  Controller,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { listAudit, listMyOrganizations, sealGatewaySecrets, verifyAudit } from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, requireOperator, ServiceBus } from '@parley/messaging';
import { firstInstant, firstInstantAfter, isDay, Logger, SealedSecrets, type SecretKeyVariables } from '@parley/service-kit';
import { Brackets, type EntityManager, MoreThan } from 'typeorm';
import type { z } from 'zod';
import { ActionTrail } from './attempt';
import { AuditTrail } from './audit-trail';
import { AuditEntryRow, type ChainHead, ChainKeeper, ChainWalk } from './chain';

const sweepEveryMs = 60_000;

/** Writes down, now and then, what a gateway that died had begun. */
@Injectable()
class AuditSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly trail: AuditTrail,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), sweepEveryMs);
    this.timer.unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      const count = await this.trail.sweep();
      if (count > 0) this.log.warn('Management actions ended without a word', { count });
    } catch (error) {
      this.log.warn('The audit log could not be swept', { err: error });
    }
  }
}

/** The audit log: written by the gateway's own routes, read over the bus. */
@Module({})
export class AuditModule {
  static with({ PARLEY_SECRET_KEY: secretKey, PARLEY_SECRET_KEYS_OLD: oldSecretKeys }: SecretKeyVariables): DynamicModule {
    const seals = { provide: SealedSecrets, useValue: new SealedSecrets({ secretKey, oldSecretKeys }) };
    const trail = { provide: ActionTrail, useExisting: AuditTrail };
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [seals, ChainKeeper, AuditReader, AuditSweep, AuditTrail, trail],
      exports: [ActionTrail],
    };
  }
}

type Listing = z.output<(typeof listAudit)['request']>;
type Verification = z.output<(typeof verifyAudit)['reply']>;

const columns = { CreatedOn: 'entry.createdOn', action: 'entry.action' } as const;
const readAtOnce = 500;

/** Reads the audit log of one organization, and checks that nobody changed it. */
@Injectable()
class AuditReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly chain: ChainKeeper,
  ) {}

  async list(filter: Listing, orgId: number): Promise<Page<AuditEntryRow>> {
    const timezone = await this.timeZoneFor(filter);
    return this.tenants.read(orgId, (manager) => {
      const { searchName, action, memberAdminID, startDate, endDate, sortColumn } = filter;
      const entries = manager.createQueryBuilder(AuditEntryRow, 'entry').where({ orgId });
      if (action) entries.andWhere({ action });
      if (memberAdminID) entries.andWhere({ memberId: memberAdminID });
      if (startDate) entries.andWhere('entry.createdOn >= :from', { from: firstInstant(startDate, timezone) });
      if (endDate) entries.andWhere('entry.createdOn < :until', { until: firstInstantAfter(endDate, timezone) });
      if (searchName) entries.andWhere(named(searchName));
      return pageOf(entries, filter, { by: columns[sortColumn] });
    });
  }

  /** Walks the chain from its beginning; stops at the first line that does not follow from the one before. */
  async verify(orgId: number, signal?: AbortSignal): Promise<Verification> {
    const seal = await this.chain.seal();
    return this.tenants.read(orgId, async (manager) => {
      const walk = new ChainWalk(orgId, seal, await headOf(manager, orgId));
      for (
        let rows = await linesAfter(manager, orgId, 0);
        rows.length > 0;
        rows = await linesAfter(manager, orgId, walk.lastId)
      ) {
        signal?.throwIfAborted();
        const broken = walk.take(rows);
        if (broken) return broken;
      }
      return walk.end();
    });
  }

  /** A day has the hours of the organization's own time zone. */
  private async timeZoneFor({ startDate, endDate }: Listing): Promise<string> {
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

function linesAfter(manager: EntityManager, orgId: number, id: number): Promise<AuditEntryRow[]> {
  return manager.find(AuditEntryRow, { where: { orgId, id: MoreThan(id) }, order: { id: 'ASC' }, take: readAtOnce });
}

function named(text: string): Brackets {
  const pattern = containing(text);
  return new Brackets((any) =>
    any.where('entry.action ILIKE :pattern', { pattern }).orWhere('entry.subject ILIKE :pattern', { pattern }),
  );
}

/** Answers questions about the audit log. */
@Controller()
class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly chain: ChainKeeper,
  ) {}

  @Handles(listAudit)
  async list(body: Parameters<HandlerOf<typeof listAudit>>[0], call: Call) {
    const page = await this.reader.list(body, organizationOf(call));
    return { ...page, rows: page.rows.map(listed) };
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
