import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const batch = 20;
const firstRetrySeconds = 60;
const lastRetrySeconds = 3_600;
const attemptsMax = 8;
const lastErrorMax = 300;

const ClaimedMail = z.object({
  id: z.int(),
  keyId: z.string(),
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  attempts: z.int(),
});
export type ClaimedMail = z.output<typeof ClaimedMail>;

/**
 * Takes some mails that are due. Each counts its attempt and has its next one set before it is sent: a process that dies
 * over it leaves a mail that is tried again. What was held for want of a server leaves, too, while its invitation lives.
 */
export async function claimMails(manager: EntityManager): Promise<ClaimedMail[]> {
  const [rows]: [unknown[]] = await manager.query(
    `UPDATE mails SET status = 'QUEUED', attempts = attempts + 1,
       next_attempt_at = now() + LEAST($2 * 2 ^ attempts, $3) * interval '1 second'
     WHERE id IN (
       SELECT id FROM mails WHERE status IN ('QUEUED', 'HELD') AND next_attempt_at <= now()
         AND created_on > now() - interval '7 days'
       ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id, key_id AS "keyId", recipient, subject, text, html, attempts`,
    [batch, firstRetrySeconds, lastRetrySeconds],
  );
  return z.array(ClaimedMail).parse(rows);
}

/** Notes that the server has a mail. The token in it has done its work here and is forgotten. */
export async function noteSent(manager: EntityManager, { id }: ClaimedMail): Promise<void> {
  await manager.query(
    `UPDATE mails SET status = 'SENT', sent_on = now(), last_error = NULL, html = '',
       text = regexp_replace(text, 'inv_[A-Za-z0-9_-]+', 'inv_…', 'g')
     WHERE id = $1`,
    [id],
  );
}

/** Notes a failure: final when the server says so or after the last attempt, otherwise to be tried again. */
export async function noteFailure(manager: EntityManager, { id, attempts }: ClaimedMail, error: unknown): Promise<boolean> {
  const isFinal = attempts >= attemptsMax || isRefusal(error);
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, lastErrorMax);
  await manager.query(`UPDATE mails SET status = $2, last_error = $3 WHERE id = $1`, [id, isFinal ? 'FAILED' : 'QUEUED', reason]);
  return isFinal;
}

/** SMTP answers 5xx to what will not get better by waiting. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
