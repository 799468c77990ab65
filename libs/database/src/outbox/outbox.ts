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
import { prepared, type Statement } from '../queries';

/** Below the megabyte that the broker takes, with room for headers. */
const payloadBytesMax = 900_000;

/** The table and the columns of an outbox row, in the order of its values. */
export const outboxColumns = 'outbox (id, subject, org_id, payload, bytes)';

const insertion = `INSERT INTO ${outboxColumns} VALUES ($1, $2, $3, $4, $5)`;

interface Addition<Payload extends z.ZodType> {
  readonly orgId: number | null;
  readonly payload: z.input<Payload>;
}

const laterMs = 500;

/** Events leave through here: written in the transaction that makes them true, sent by the OutboxRelay. */
@Injectable()
export class Outbox implements EntitySubscriberInterface {
  private readonly touched = new WeakSet<QueryRunner>();
  private readonly listeners = new Set<() => void>();
  private later: NodeJS.Timeout | undefined;

  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  /** Adds an event to the caller's transaction and answers its id. It is sent if, and only if, that commits. */
  async add<Payload extends z.ZodType>(
    manager: EntityManager,
    contract: EventContract<Payload>,
    event: Addition<Payload>,
  ): Promise<string> {
    const { id, statement } = await this.addition(manager, contract, event);
    await prepared(manager, statement);
    return id;
  }

  /** The same as a statement, for a transaction that sends its last ones together with its COMMIT. */
  async addition<Payload extends z.ZodType>(
    manager: EntityManager,
    contract: EventContract<Payload>,
    event: Addition<Payload>,
  ): Promise<{ id: string; statement: Statement }> {
    const runner = manager.queryRunner;
    if (!runner?.isTransactionActive) throw new TypeError(`${contract.subject} needs a transaction to be part of`);
    const { id, values } = outboxRow(contract, event);
    this.touched.add(runner);
    return { id, statement: { name: 'add-to-outbox', text: insertion, values } };
  }

  /** Calls back when transactions with events have committed in this process. */
  onCommitted(listener: () => void): void {
    this.listeners.add(listener);
  }

  /**
   * Says that a statement with rows of `outboxRow` has committed. They leave within half a second, together with those of the commits
   * after it: a busy service is spared a round of the relay for each.
   */
  noteCommitted(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.tell();
    }, laterMs).unref();
  }

  /** TypeORM's hook; also called for savepoints, when the transaction is still open. */
  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    if (queryRunner.isTransactionActive || !this.touched.delete(queryRunner)) return;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/**
 * An event as values of `outboxColumns`, for the one statement that writes it together with what makes it true; it leaves once
 * `Outbox.noteCommitted` was told. Parsed here and not only on sending: a payload that nobody can read must fail its author, not block the queue.
 */
export function outboxRow<Payload extends z.ZodType>(
  contract: EventContract<Payload>,
  event: { orgId: number | null; payload: z.input<Payload> },
): { id: string; values: [string, string, number, string, number] } {
  const payload = JSON.stringify(contract.payload.parse(event.payload));
  const bytes = Buffer.byteLength(payload);
  if (bytes > payloadBytesMax) throw new TypeError(`${contract.subject} carries ${bytes} bytes: put them into the file store`);
  const id = randomUUID();
  return { id, values: [id, contract.subject, event.orgId ?? 0, payload, bytes] };
}
