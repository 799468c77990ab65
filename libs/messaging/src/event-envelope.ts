import { type ServiceName, serviceNames } from '@parley/contracts';
import { z } from 'zod';

/** An event as the outbox keeps it and the broker carries it. */
export interface EventEnvelope {
  readonly id: string;
  readonly subject: `${ServiceName}.${string}`;
  /** Absent for what concerns no single organization. */
  readonly orgId: number | null;
  readonly occurredAt: string;
  readonly payload: unknown;
  readonly traceparent?: string;
}

/** What a consumer learns of an event beside its payload. The id is the same at every delivery. */
export type EventMeta = Omit<EventEnvelope, 'payload'> & { readonly attempt: number };

/** Reads an envelope from a broker or a table; the payload is parsed by its own contract. */
export const EventEnvelopeSchema = z.object({
  id: z.string().min(1).max(255),
  subject: z.templateLiteral([z.enum(serviceNames), '.', z.string()]),
  orgId: z.int().nullable(),
  occurredAt: z.string(),
  payload: z.unknown(),
  traceparent: z.string().optional(),
});
