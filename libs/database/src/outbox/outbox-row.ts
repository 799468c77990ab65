import { randomUUID } from 'node:crypto';
import type { EventContract } from '@parley/contracts';
import type { z } from 'zod';

/** Below the megabyte that the broker takes, with room for headers. */
const payloadBytesMax = 900_000;

/** The table and the columns of an outbox row, in the order of its values. */
export const outboxColumns = 'outbox (id, subject, org_id, payload, bytes)';

/**
 * An event as values of `outboxColumns`, for the one statement that writes it together with what makes it true. It leaves with the
 * relay's next look. Parsed here and not only on sending: a payload that nobody can read must fail its author, not block the queue.
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
