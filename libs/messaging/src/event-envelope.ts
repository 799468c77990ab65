import { type EventContract, type ServiceName, serviceNames } from '@parley/contracts';
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

/** Tells every replica that `@Hears` an event something that is worth nothing a moment later: nobody keeps it, nobody retries. */
export abstract class Broadcasts {
  abstract announce<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    event: { readonly orgId: number | null; readonly payload: z.input<Payload> },
  ): void;

  /** Calls back when something may have gone unheard, because the connection was lost. Answers how to stop. */
  abstract onMissed(listener: () => void): () => void;
}

/** Where an event that somebody keeps is told: whoever is there hears the very message that is stored. */
export function eventSubject(subject: string): string {
  return `parley.event.${subject}`;
}

/** Where news that nobody keeps are told. */
export function heardSubject(subject: string): string {
  return `parley.heard.${subject}`;
}
