import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';

const writeEveryMs = 5_000;
/** Uses closer together than this are one. */
const worthNotingMs = 60_000;
const keysMax = 50_000;

/** When each key was last used, written to Postgres now and then and many at a time. A crash loses seconds of it. */
@Injectable()
export class LastUse implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly notedAtMs = new Map<number, number>();
  private unwritten = new Set<number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  note(rowId: number, nowMs: number): void {
    const before = this.notedAtMs.get(rowId);
    if (before !== undefined && nowMs - before < worthNotingMs) return;
    if (before === undefined && this.notedAtMs.size >= keysMax) this.notedAtMs.clear();
    this.notedAtMs.set(rowId, nowMs);
    this.unwritten.add(rowId);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), writeEveryMs);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  /** Writes what was noted since the last time. */
  async write(): Promise<void> {
    const ids = [...this.unwritten];
    if (ids.length === 0) return;
    this.unwritten = new Set();
    const times = ids.map((id) => new Date(this.notedAtMs.get(id) ?? Date.now()));
    try {
      await this.tenants.acrossTenants('one batch carries the use of keys of many organizations', (manager) =>
        manager.query(
          `UPDATE integration_keys SET last_used_on = used.at
           FROM unnest($1::int[], $2::timestamptz[]) AS used(id, at)
           WHERE integration_keys.id = used.id AND (last_used_on IS NULL OR last_used_on < used.at)`,
          [ids, times],
        ),
      );
    } catch (error) {
      this.log.warn('The last use of keys was not written', { err: error, keys: ids.length });
    }
  }
}
