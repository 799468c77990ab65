import { z } from 'zod';

/** What a log can keep of a body. */
const Kept = z.looseObject({}).nullable();

/** A management action that is about to be tried. */
export const Attempt = z.object({
  orgId: z.int(),
  action: z.string(),
  memberId: z.string().nullable(),
  integrationKeyId: z.string().nullable(),
  subject: z.string(),
  request: Kept,
  before: Kept,
  requestId: z.string(),
});
export type Attempt = z.output<typeof Attempt>;

/** How it ended. */
export interface Ending {
  readonly outcome: string;
  readonly subject?: string;
  readonly reply?: object | null;
}

/** Where management actions are written down: before they are tried, and again when they have ended. */
export abstract class ActionTrail {
  /** Notes what is about to be tried; answers how to refer to it. Throws when it cannot be noted: then it must not be tried. */
  abstract begin(attempt: Attempt): Promise<string>;

  /** Turns a noted attempt into a line of the log. */
  abstract finish(orgId: number, intent: string, ending: Ending): Promise<void>;

  /** Forgets an attempt that was none: nothing was asked of any service. */
  abstract drop(orgId: number, intent: string): Promise<void>;
}
