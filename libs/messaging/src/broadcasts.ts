import type { EventContract } from '@parley/contracts';
import type { z } from 'zod';

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
