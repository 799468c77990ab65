import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Fault, readTurnFacts } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { type Lifetime, type Logger, RegularLook } from '@parley/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import { turnFacts } from '../facts/facts';
import { Projection } from '../projection/projection';
import { turnFactOf } from './facts-of-events';

const limit = 400;

/** Another replica has read this part. */
class OvertakenError extends Error {}

/** What a feed reads from, and where it takes the turns. */
interface FeedParts {
  readonly source: DataSource;
  readonly bus: ServiceBus;
  readonly projection: Projection;
  readonly log: Logger;
  readonly lifetime: Lifetime;
}

/**
 * Fetches turns that have ended from conversation, page after page. The place up to which it has read moves on in the commit that
 * holds the turns, so a process that dies reads the page again, and of two replicas at the same page one gives up.
 */
export class TurnFeed implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly looks: RegularLook;

  constructor(
    everyMs: number,
    private readonly parts: FeedParts,
  ) {
    this.looks = new RegularLook(parts.lifetime, {
      everyMs,
      look: () => this.catchUp().then(() => everyMs),
      onTrouble: (error) => this.report(error),
    });
  }

  onApplicationBootstrap(): void {
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
  }

  /** Reads everything that is there; answers how many turns. */
  async catchUp(): Promise<number> {
    for (let read = 0; ;) {
      const page = await this.readPage();
      read += page.count;
      if (!page.hasMore || this.parts.lifetime.draining.aborted) return read;
    }
  }

  private async readPage(): Promise<{ count: number; hasMore: boolean }> {
    const place = await this.place();
    const { turns, after, hasMore, readAt } = await this.parts.bus.ask(readTurnFacts, { after: place, limit });
    if (after === place) return { count: 0, hasMore: false };
    const facts = turns.map((turn) => turnFactOf(turn, readAt));
    await this.parts.projection.takeBatch(turnFacts, facts, (manager) => moveOn(manager, place, after));
    return { count: turns.length, hasMore };
  }

  private async place(): Promise<string> {
    const rows: { place: string }[] = await this.parts.source.query('SELECT place FROM checkpoints WHERE source = $1', [
      turnFacts.name,
    ]);
    return rows[0]?.place ?? '';
  }

  private report(err: unknown): void {
    // While conversation starts or stops there is nobody to ask; its turns wait.
    const isAway = err instanceof Fault && err.code === 'SERVICE_UNAVAILABLE';
    if (!isAway && !(err instanceof OvertakenError)) this.parts.log.warn('Turns could not be fetched', { err });
  }
}

async function moveOn(manager: EntityManager, from: string, to: string): Promise<void> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO checkpoints AS known (source, place, told_at) VALUES ($1, $3, now())
     ON CONFLICT (source) DO UPDATE SET place = $3, told_at = now(), applied_at = now() WHERE known.place = $2 RETURNING place`,
    [turnFacts.name, from, to],
  );
  if (rows.length === 0) throw new OvertakenError('another replica has read these turns');
}
