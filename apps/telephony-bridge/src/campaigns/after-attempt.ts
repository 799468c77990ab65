import type { EntityManager } from 'typeorm';
import type { Campaign as Record } from './campaign.entity';
import { type ContactRow, epoch } from './claim-queries';
import type { PlannedContact, Instant } from './plan/campaign';
import type { AfterAttempt } from './plan/ports';

/** An attempt and its campaign, both locked. */
export interface LockedAttempt {
  readonly campaign: Record;
  readonly attempt: AttemptRow;
}

export interface AttemptRow {
  readonly contactId: number;
  readonly state: string;
  readonly fence: number;
  readonly at: Instant;
  readonly callKey: string | null;
  readonly callId: number | null;
  readonly callOutcome: string | null;
  /** Whether the contact asked in the call never to be called again. */
  readonly isListed: boolean;
}

interface AttemptStep extends LockedAttempt {
  readonly contact: PlannedContact;
  readonly isWithdrawn: boolean;
  readonly cause: string | null;
  readonly next: ReturnType<AfterAttempt>;
}

/** Moves the contact to its next state. There is no further attempt if the campaign is over or the contact was deleted. */
export async function continueContact(
  manager: EntityManager,
  { campaign, attempt, contact, isWithdrawn, cause, next }: AttemptStep,
): Promise<void> {
  const outcome = contact.tries.at(-1)?.outcome ?? 'UNKNOWN';
  const isAgain = next.kind === 'AGAIN' && !isOver(campaign) && !isWithdrawn;
  const state = isAgain ? 'WAITING' : next.kind === 'FINAL' ? next.state : 'CANCELLED';
  const known = attempt.isListed ? 'DO_NOT_CALL' : isAgain && next.isBooked ? 'CALL_BACK' : (attempt.callOutcome ?? outcome);
  await manager.query(
    `UPDATE campaign_contacts SET state = $2, tries = $3, attempt = attempt + $4, due_at = ${epoch('$5')}, is_booked = $6,
         booked_for = NULL, disposition = $7, cause = $8, call_key = coalesce($9, call_key), call_id = coalesce($10, call_id), updated_on = now() WHERE id = $1`,
    [
      contact.id,
      state,
      JSON.stringify(contact.tries),
      isAgain ? 1 : 0,
      isAgain ? next.dueAt : contact.dueAt,
      isAgain && next.isBooked,
      dispositions[known] ?? 'FAILED',
      cause,
      attempt.callKey,
      attempt.callId,
    ],
  );
}

/** How long to wait for a call's cost, which is not reported if its bridge dies; by then the transcript is complete. */
export const lastWordsMs = 30_000;
/** The disposition of a contact by the outcome of the call or attempt. */
const dispositions: { readonly [outcome: string]: string } = {
  ANSWERED: 'REACHED',
  ABANDONED: 'FAILED',
  UNKNOWN: 'FAILED',
  VOICEMAIL: 'VOICEMAIL',
  TRANSFERRED: 'TRANSFERRED',
  NO_ANSWER: 'NO_ANSWER',
  BUSY: 'BUSY',
  REJECTED: 'REJECTED',
  UNREACHABLE: 'UNREACHABLE',
  CANCELLED: 'CANCELLED',
  DO_NOT_CALL: 'DO_NOT_CALL',
  CALL_BACK: 'CALL_BACK',
};

/** When to extract results from the conversation, if at all: once its cost is known, its transcript is complete. */
export function resultDue({ campaign, outcome, credits, now }: Ended): Instant | null {
  if (campaign.resultSchema === null || outcome !== 'ANSWERED') return null;
  return credits > 0 ? now : now + lastWordsMs;
}

interface Ended extends Pick<LockedAttempt, 'campaign'> {
  readonly outcome: string;
  readonly credits: number;
  readonly now: Instant;
}

export function isOver({ status }: Record): boolean {
  return status === 'CANCELLED' || status === 'COMPLETED';
}

export async function contactRow(manager: EntityManager, id: number): Promise<ContactRow> {
  const rows: ContactRow[] = await manager.query(`SELECT c.* FROM campaign_contacts c WHERE c.id = $1 FOR UPDATE`, [id]);
  const [row] = rows;
  if (!row) throw new Error('an attempt without its contact');
  return row;
}
