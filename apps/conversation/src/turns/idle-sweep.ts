import type { OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { RegularTask, RegularTasks } from '@parley/service-kit';
import { SessionEnding } from '../sessions/sessions';
import { tellOf } from './turn-statements';

export interface IdleRules {
  /** How long a conversation may be idle. */
  readonly idleMs: number;
}

const pauseMsMax = 30_000;
const endedAtOnceMax = 200;
const changesKeptDays = 14;
const forgottenAtOnceMax = 10_000;

/** Ends idle conversations and marks turns whose process died. Every replica may run it at the same time. */
export class IdleSweep implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly rules: IdleRules,
    private readonly ending: SessionEnding,
    private readonly tenants: TenantScope,
    tasks: RegularTasks,
  ) {
    const everyMs = Math.min(rules.idleMs / 2, pauseMsMax);
    const trouble = 'A sweep of silent conversations failed';
    this.task = tasks.of({ name: 'silent conversations', everyMs, run: () => this.sweep(), trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async sweep(): Promise<void> {
    await this.markLost();
    await this.forgetChanges();
    while ((await this.ending.endIdle(this.rules.idleMs, endedAtOnceMax)) === endedAtOnceMax);
  }

  /** Consumers had two weeks to fetch them. */
  private async forgetChanges(): Promise<void> {
    await this.tenants.acrossTenants('changes of every organization grow old', (manager) =>
      manager.query(
        `DELETE FROM turn_changes USING (SELECT xact, seq, changed_on FROM turn_changes ORDER BY xact, seq LIMIT $1) oldest
         WHERE turn_changes.xact = oldest.xact AND turn_changes.seq = oldest.seq AND oldest.changed_on < now() - $2 * interval '1 day'`,
        [forgottenAtOnceMax, changesKeptDays],
      ),
    );
  }

  private async markLost(): Promise<void> {
    await this.tenants.acrossTenants('a process that died leaves turns of every organization', (manager) =>
      manager.query(
        `WITH freed AS (
           UPDATE sessions SET busy_turn = NULL, busy_until = NULL
           WHERE id = ANY (ARRAY(SELECT id FROM sessions WHERE busy_until < now() FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id
         ), lost AS (
           UPDATE turns SET status = 'LOST', answered_on = now() FROM freed
           WHERE session_id = freed.id AND turns.status = 'RUNNING' RETURNING turns.org_id, turn_uuid
         )
         ${tellOf('lost')}`,
      ),
    );
  }
}
