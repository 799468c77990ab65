import { defineEvent, Fault } from '@parley/contracts';
import { type EventEnvelope, RefusedEvent, ServiceBus } from '@parley/messaging';
import { writeSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { agentsSchema } from '../agents.example';
import { connectionOptions } from '../connection-options';
import { Outbox } from './outbox';
import { OutboxPublisher } from './outbox-publisher';

export const agentSaved = defineEvent({ subject: 'agent-config.agent-saved', payload: z.object({ n: z.int() }) });

export const agentRenamed = defineEvent({ subject: 'agent-config.agent-renamed', payload: z.object({ n: z.int() }) });

interface Recorded {
  id: string;
  orgId: number | null;
  n: number;
}

/** Runs a publisher in a process of its own, to be killed; prints each event that its broker stores. */
export async function publishUntilKilled(url: string): Promise<void> {
  const dataSource = await new DataSource(connectionOptions(agentsSchema, { url })).initialize();
  const bus = new RecordingBus();
  bus.refuses = ({ orgId, n }) => {
    writeSync(1, `${orgId} ${n}\n`);
    return false;
  };
  new OutboxPublisher(dataSource, bus, new Outbox(dataSource)).onApplicationBootstrap();
}

/** A broker that records what it stores, and refuses what `refuses` selects. */
export class RecordingBus extends ServiceBus {
  readonly taken: Recorded[] = [];
  refused = 0;
  refuses: (event: Recorded) => boolean = () => false;
  /** What it refuses for good, as a user without the right to a subject is. */
  forbids: (event: EventEnvelope) => boolean = () => false;
  private waiting: { isEnough: () => boolean; resolve: () => void }[] = [];

  override async publish(event: EventEnvelope): Promise<void> {
    const recorded = { id: event.id, orgId: event.orgId, n: agentSaved.payload.parse(event.payload).n };
    // A real broker answers later, never at once: let others interleave.
    await new Promise((resolve) => setImmediate(resolve));
    const isForbidden = this.forbids(event);
    const isRefused = isForbidden || this.refuses(recorded);
    if (isRefused) this.refused += 1;
    else this.taken.push(recorded);
    for (const { isEnough, resolve } of this.waiting) if (isEnough()) resolve();
    if (isForbidden) throw new Fault('SERVICE_UNAVAILABLE', { cause: new RefusedEvent('not permitted') });
    if (isRefused) throw new Error('the broker is away');
  }

  /** Resolves once a condition on what was stored or refused is met. */
  until(isEnough: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push({ isEnough, resolve });
    if (isEnough()) resolve();
    return promise;
  }

  of(orgId: number): number[] {
    return this.taken.filter((event) => event.orgId === orgId).map(({ n }) => n);
  }

  override ask(): never {
    throw new Error('this bus only records');
  }
  override stream(): never {
    throw new Error('this bus only records');
  }
  override emit(): never {
    throw new Error('the publisher publishes envelopes');
  }
  override open(): never {
    throw new Error('this bus only records');
  }
}
