import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { organizationDeleted, ReplyOf, removalInGateway } from '@parley/contracts';
import { DeletedOrganizations, TenantScope, type Tombstone } from '@parley/database';
import { type Call, requireOperator } from '@parley/messaging';
import type { FileStore } from '@parley/ports';
import type { z } from 'zod';
import { Logger } from '../logging/logger';
import { Lifetime, type RegularTask, RegularTasks } from './lifetime';

type Removal = ReplyOf<typeof removalInGateway>;
type Deletion = Pick<z.output<typeof organizationDeleted.payload>, 'OrgID'>;

/** What a service does for a deleted organization besides deleting its rows. Each step may be repeated. */
export interface RemovalSteps {
  /** Ends what is under way. Resolves with what it still waits for, such as `2 calls`, or with null. */
  settle?(orgId: number): Promise<string | null>;
  /** Deletes what is not in tables. The first time, its rows are still there. */
  eraseOutside?(deleted: Tombstone): Promise<void>;
  /** Nothing is left: what has to be written about it is written. */
  finish?(deleted: Tombstone): Promise<void>;
}

/** Tables of a schema that keep something of a deleted organization. */
export class KeptOfDeleted {
  constructor(readonly tables: readonly string[]) {}
}

/** For so long calls, turns and charges may end as usual. Then their rows go, ended or not. */
const settleMsMax = 120_000;
const againMs = 500;
const idleMs = 900_000;

/**
 * Erases what this service has of deleted organizations. What is to be done is in the schema, so that a process may die anywhere and
 * any replica goes on; all may work at once, since everything that they do may be repeated.
 */
@Injectable()
export class OrganizationRemoval implements OnApplicationBootstrap {
  private readonly deleted: DeletedOrganizations;
  private readonly task: RegularTask;
  private readonly waits = new Map<number, string>();
  private steps: RemovalSteps = {};

  constructor(
    tenants: TenantScope,
    kept: KeptOfDeleted,
    tasks: RegularTasks,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {
    this.deleted = new DeletedOrganizations(tenants, kept.tables);
    const trouble = 'Deleted organizations could not be looked up';
    this.task = tasks.of({ name: 'deleted organizations', everyMs: idleMs, run: () => this.run(), trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** The steps of this service, added when it is put together. */
  with(steps: RemovalSteps): void {
    this.steps = steps;
  }

  /** Learns of a deletion, which then goes on by itself. The record is what a later step needs. */
  async learn({ OrgID }: Deletion, record: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.deleted.learn(OrgID, record);
    this.task.wake();
  }

  /** Keeps what a later step needs, unless it is kept already. */
  keep(orgId: number, record: Readonly<Record<string, unknown>>): Promise<void> {
    return this.deleted.keep(orgId, record);
  }

  /** What was kept, as the step that needs it reads it. */
  async kept<Kept>(orgId: number, schema: z.ZodType<Kept>): Promise<Kept> {
    return schema.parse((await this.deleted.find(orgId))?.record ?? {});
  }

  /** Forgets what no step needs any more. */
  forget(orgId: number, name: string): Promise<void> {
    return this.deleted.drop(orgId, name);
  }

  /** For the operator: how far it is. */
  async tell({ OrgID }: { OrgID: number }, call: Call): Promise<Removal> {
    requireOperator(call);
    const [found, rows] = [await this.deleted.find(OrgID), await this.deleted.count(OrgID)];
    if (!found) return { state: 'NOT_ASKED', waitsFor: null, rows, kept: {} };
    if (!found.doneOn) this.task.wake();
    const state = found.doneOn ? 'DONE' : found.erasingSince ? 'ERASING' : 'ENDING';
    return { state, waitsFor: this.waits.get(OrgID) ?? null, rows, kept: found.record };
  }

  private async run(): Promise<number> {
    let nextMs = idleMs;
    for (const each of await this.deleted.due()) {
      // A failure for one organization must not keep the others.
      const isDone = await this.advance(each).catch((err: unknown) => {
        this.log.warn('A deleted organization could not be erased yet', { err, orgId: each.orgId });
        return false;
      });
      if (!isDone) nextMs = againMs;
    }
    return nextMs;
  }

  /** Resolves with whether nothing is left. */
  private async advance(known: Tombstone): Promise<boolean> {
    const { orgId } = known;
    if (!known.erasingSince && !(await this.isSettled(known))) return false;
    await this.deleted.beginErasing(orgId);
    const { deleted, steps } = this;
    await steps.eraseOutside?.(known);
    while ((await deleted.eraseSome(orgId)) > 0) if (this.lifetime.draining.aborted) return false;
    if (!(await deleted.isSettled(orgId)) || Object.keys(await deleted.count(orgId)).length > 0) return false;
    if (known.doneOn) return true;
    // Work that was underway may have left something outside meanwhile.
    await steps.eraseOutside?.((await deleted.find(orgId)) ?? known);
    await steps.finish?.((await deleted.find(orgId)) ?? known);
    await deleted.noteDone(orgId);
    this.log.info('A deleted organization was erased', { orgId });
    return true;
  }

  private async isSettled({ orgId, learnedOn }: Tombstone): Promise<boolean> {
    const settled = Promise.resolve(this.steps.settle?.(orgId) ?? null);
    // What cannot be ended properly must not keep the rows for ever.
    const waitsFor = await settled.catch((err: unknown) => {
      this.log.warn('What is underway for a deleted organization could not be ended', { err, orgId });
      return 'what could not be ended';
    });
    if (waitsFor === null) this.waits.delete(orgId);
    else this.waits.set(orgId, waitsFor);
    return waitsFor === null || Date.now() - learnedOn.getTime() > settleMsMax;
  }
}

/** Deletes every file below a folder. */
export async function deleteFolder(files: FileStore, folder: string): Promise<void> {
  for await (const keys of files.writtenBefore(folder, Date.now() + 60_000)) for (const key of keys) await files.delete(key);
}
