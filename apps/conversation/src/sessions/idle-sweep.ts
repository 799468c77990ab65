import { setTimeout as delay } from 'node:timers/promises';
import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import { SessionEnding } from './session-ending';

export interface IdleRules {
  /** How long a conversation may be silent. */
  readonly idleMs: number;
}

const pauseMsMax = 30_000;
const endedAtOnceMax = 200;

/** Ends conversations that fell silent and marks turns that died with their process. Every replica may do it at the same time. */
export class IdleSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private sweeping = Promise.resolve();

  constructor(
    private readonly rules: IdleRules,
    private readonly ending: SessionEnding,
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = this.sweepOn();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.sweeping;
  }

  async sweep(): Promise<void> {
    await this.markLost();
    while ((await this.ending.endIdle(this.rules.idleMs, endedAtOnceMax)) === endedAtOnceMax);
  }

  private async sweepOn(): Promise<void> {
    const { signal } = this.stopping;
    const pauseMs = Math.min(this.rules.idleMs / 2, pauseMsMax);
    while (!signal.aborted) {
      await this.sweep().catch((err: unknown) => this.log.warn('A sweep of silent conversations failed', { err }));
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async markLost(): Promise<void> {
    await this.tenants.acrossTenants('a process that died leaves turns of every organization', (manager) =>
      manager.query(
        `WITH freed AS (
           UPDATE sessions SET busy_turn = NULL, busy_until = NULL
           WHERE id = ANY (ARRAY(SELECT id FROM sessions WHERE busy_until < now() FOR NO KEY UPDATE SKIP LOCKED)) RETURNING id
         )
         UPDATE turns SET status = 'LOST', answered_on = now() FROM freed WHERE session_id = freed.id AND turns.status = 'RUNNING'`,
      ),
    );
  }
}
