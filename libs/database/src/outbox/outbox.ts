import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EventContract } from '@parley/contracts';
import {
  DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type QueryRunner,
  type TransactionCommitEvent,
} from 'typeorm';
import type { z } from 'zod';
import { prepared } from '../prepared';

/** Below the megabyte that the broker takes, with room for headers. */
const payloadBytesMax = 900_000;

const insertion = 'INSERT INTO outbox (id, subject, org_id, payload, bytes) VALUES ($1, $2, $3, $4, $5)';

/** Events leave through here: written in the transaction that makes them true, sent by the OutboxRelay. */
@Injectable()
export class Outbox implements EntitySubscriberInterface {
  private readonly touched = new WeakSet<QueryRunner>();
  private readonly listeners = new Set<() => void>();

  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  /**
   * Adds an event to the caller's transaction and answers its id. It is sent if, and only if, that commits: at once, or with
   * the relay's next look when it is not urgent, which spares a busy service a round of the relay for every commit.
   */
  async add<Payload extends z.ZodType>(
    manager: EntityManager,
    contract: EventContract<Payload>,
    event: { orgId: number | null; payload: z.input<Payload>; isUrgent?: boolean },
  ): Promise<string> {
    const runner = manager.queryRunner;
    if (!runner?.isTransactionActive) throw new TypeError(`${contract.subject} needs a transaction to be part of`);
    // Parsed here and not only on sending: a payload that nobody can read must fail its author, not block the queue.
    const payload = JSON.stringify(await contract.payload.parseAsync(event.payload));
    const bytes = Buffer.byteLength(payload);
    if (bytes > payloadBytesMax) throw new TypeError(`${contract.subject} carries ${bytes} bytes: put them into the file store`);
    const id = randomUUID();
    const values = [id, contract.subject, event.orgId ?? 0, payload, bytes];
    await prepared(manager, { name: 'add-to-outbox', text: insertion, values });
    if (event.isUrgent ?? true) this.touched.add(runner);
    return id;
  }

  /** Calls back whenever a transaction with events has committed in this process. */
  onCommitted(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** TypeORM's hook; also called for savepoints, when the transaction is still open. */
  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    if (queryRunner.isTransactionActive || !this.touched.delete(queryRunner)) return;
    for (const listener of this.listeners) listener();
  }
}
