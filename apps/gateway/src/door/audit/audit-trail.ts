import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { integer, Logger, RegularTasks } from '@parley/service-kit';
import { type EntityManager } from 'typeorm';
import { ActionTrail, ActionIntent, type ActionOutcome } from './recorded-actions';
import { AuditEntryRow, beginning, ChainKey, type ChainSeal, type AuditStatement } from './chain';
import { ChainNotes } from './chain-notes';

/** What an operator can set about the audit log. */
export const auditVariables = {
  AUDIT_MONTHS: integer({ min: 3, max: 600 }).default(25).meta({
    description:
      'How many whole months lines of the audit log are listed. They are then moved to files under archive/audit, where the check of the chain still reads them.',
    example: '25',
  }),
};

const abandonedAfter = '3 minutes';
const sweptAtOnce = 100;

/**
 * Writes the audit log. An action is recorded before it is attempted, so that it is in the log even if the process dies, with the
 * outcome UNKNOWN.
 */
@Injectable()
export class AuditTrail extends ActionTrail {
  constructor(
    private readonly tenants: TenantScope,
    private readonly chain: ChainKey,
    private readonly notes: ChainNotes,
  ) {
    super();
  }

  begin(action: ActionIntent): Promise<string> {
    return this.tenants.run(action.orgId, async (manager) => {
      const rows: { id: string }[] = await manager.query(
        'INSERT INTO audit_intents (org_id, attempt) VALUES ($1, $2) RETURNING id::text',
        [action.orgId, JSON.stringify(action)],
      );
      return rows[0]?.id ?? '';
    });
  }

  async finish(orgId: number, intent: string, ending: ActionOutcome): Promise<void> {
    const seal = await this.chain.seal();
    await this.tenants.run(orgId, async (manager) => {
      const action = await takeIntent(manager, intent);
      if (action) await append(manager, seal, { action, ending });
    });
    this.notes.markGrown(orgId);
  }

  drop(orgId: number, intent: string): Promise<void> {
    return this.tenants.run(orgId, async (manager) => void (await takeIntent(manager, intent)));
  }

  /**
   * Ends the log of a deleted organization: its lines are deleted, and the one about its deletion is the first and last of a chain of its
   * own, so that the check of the chain still holds.
   */
  async conclude(action: ActionIntent, ending: ActionOutcome): Promise<void> {
    const { orgId } = action;
    const seal = await this.chain.seal();
    await this.notes.forget(orgId);
    while ((await this.eraseSome(orgId)) > 0);
    await this.tenants.run(orgId, async (manager) => {
      await manager.query('DELETE FROM audit_heads WHERE org_id = $1', [orgId]);
      await append(manager, seal, { action, ending });
    });
    await this.notes.note(orgId);
  }

  private eraseSome(orgId: number): Promise<number> {
    return this.tenants.run(orgId, async (manager) => {
      const some = 'SELECT id FROM audit_entries WHERE org_id = $1 ORDER BY id DESC LIMIT 2000';
      const [, count] = await manager.query<[unknown, number]>(`DELETE FROM audit_entries WHERE id = ANY (ARRAY(${some}))`, [
        orgId,
      ]);
      return count;
    });
  }

  /** Records the end of actions that began long ago and never ended. Resolves with their number. */
  async sweep(): Promise<number> {
    const left: { id: string; org_id: number }[] = await this.tenants.acrossTenants(
      'actions of a dead gateway are of any organization',
      (manager) =>
        manager.query(`SELECT id::text, org_id FROM audit_intents WHERE begun_on < now() - $1::interval ORDER BY id LIMIT $2`, [
          abandonedAfter,
          sweptAtOnce,
        ]),
    );
    for (const { id, org_id: orgId } of left) await this.finish(orgId, id, { outcome: 'UNKNOWN' });
    return left.length;
  }
}

async function takeIntent(manager: EntityManager, intent: string): Promise<ActionIntent | undefined> {
  const [rows]: [{ attempt: unknown }[], number] = await manager.query(
    'DELETE FROM audit_intents WHERE id = $1 RETURNING attempt',
    [intent],
  );
  return rows[0] && ActionIntent.parse(rows[0].attempt);
}

async function append(
  manager: EntityManager,
  seal: ChainSeal,
  ended: { action: ActionIntent; ending: ActionOutcome },
): Promise<void> {
  const { orgId } = ended.action;
  const head = await lockedHead(manager, seal, orgId);
  const statement = await statementOf(manager, ended.action, ended.ending);
  const hash = seal.line(head.hash, statement);
  await manager.insert(AuditEntryRow, { ...statement, previousHash: head.hash, hash });
  const end = { hash, entries: head.entries + 1 };
  // Later entries do not repair a head that was tampered with.
  const sealed = head.seal === seal.end(orgId, head) ? seal.end(orgId, end) : 'broken';
  await manager.query('UPDATE audit_heads SET hash = $2, entries = $3, seal = $4 WHERE org_id = $1', [
    orgId,
    end.hash,
    end.entries,
    sealed,
  ]);
}

/** Locks the head of the chain while an entry is added. */
async function lockedHead(manager: EntityManager, seal: ChainSeal, orgId: number) {
  const first = { hash: beginning, entries: 0 };
  await manager.query('INSERT INTO audit_heads (org_id, hash, entries, seal) VALUES ($1, $2, 0, $3) ON CONFLICT DO NOTHING', [
    orgId,
    beginning,
    seal.end(orgId, first),
  ]);
  const select = 'SELECT hash, entries, seal FROM audit_heads WHERE org_id = $1 FOR UPDATE';
  const [head]: { hash: string; entries: number; seal: string | null }[] = await manager.query(select, [orgId]);
  return head ?? { ...first, seal: null };
}

async function statementOf(
  manager: EntityManager,
  { request, ...intent }: ActionIntent,
  { outcome, reply, subject }: ActionOutcome,
): Promise<AuditStatement> {
  const keys: { id: number }[] = await manager.query('SELECT id FROM integration_keys WHERE key_id = $1', [
    intent.integrationKeyId,
  ]);
  return {
    ...intent,
    keyId: randomUUID(),
    integrationId: keys[0]?.id ?? null,
    subject: subject ?? intent.subject,
    after: { request, reply: reply ?? null },
    outcome,
    createdOn: new Date(),
  };
}

const sweepEveryMs = 60_000;
/** Who can write to the database may delete, unnoticed, what was recorded since the ends of the chains were last noted. */
const noteEveryMs = 5_000;

/** Regularly records actions that a dead gateway left open, and notes in the file store where the chains end. */
@Injectable()
export class AuditSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly trail: AuditTrail,
    private readonly notes: ChainNotes,
    private readonly log: Logger,
    private readonly tasks: RegularTasks,
  ) {}

  onApplicationBootstrap(): void {
    const trouble = 'The audit log could not be swept';
    this.tasks.of({ name: 'audit', everyMs: sweepEveryMs, run: () => this.sweep(), trouble }).start(sweepEveryMs);
    const notes = { name: 'ends of the audit log', everyMs: noteEveryMs, run: () => this.notes.noteAll() };
    this.tasks.of({ ...notes, trouble: 'Ends of the audit log stay as noted before' }).start(noteEveryMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.notes.noteAll().catch((err: unknown) => this.log.warn('Ends of the audit log stay as noted before', { err }));
  }

  private async sweep(): Promise<void> {
    const count = await this.trail.sweep();
    if (count > 0) this.log.warn('Management actions never reported their outcome', { count });
  }
}
