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

/** Where an event is told to whoever is there, beside being kept for those who are not. */
export function heardSubject(subject: string): string {
  return `parley.heard.${subject}`;
}
