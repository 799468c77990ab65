import type { AttemptOutcome, Campaign, Contact, FinalState, Instant, NextStep, RetryRule } from './campaign';
import { type CallingWindow, hourOf, windowToPlanBy } from './windows';

/** Calls that one contact may book in one campaign. */
export const bookingsMax = 3;
const hourMs = 3_600_000;
/** Whoever did not pick up may at another hour of the day; a busy line or a failure says nothing about the hour. */
const askForAnotherHour: ReadonlySet<AttemptOutcome> = new Set(['NO_ANSWER', 'VOICEMAIL']);

const finals: Record<AttemptOutcome, FinalState> = {
  ANSWERED: 'COMPLETED',
  VOICEMAIL: 'MISSED',
  NO_ANSWER: 'MISSED',
  BUSY: 'MISSED',
  ABANDONED: 'MISSED',
  FAILED: 'FAILED',
  UNKNOWN: 'FAILED',
  DO_NOT_CALL: 'DO_NOT_CALL',
  CANCELLED: 'CANCELLED',
};

/** What comes after an attempt: a call that was booked, another try, or the end. `contact.tries` ends with the attempt. */
export function stepAfter(campaign: Campaign, contact: Contact, now: Instant): NextStep {
  const outcome = contact.tries.at(-1)?.outcome ?? 'UNKNOWN';
  const final: NextStep = { kind: 'FINAL', state: finals[outcome] };
  if (outcome === 'DO_NOT_CALL' || outcome === 'CANCELLED') return final;
  const window = windowToPlanBy(contact.region, campaign.calling, now);
  const booked = contact.bookedFor !== undefined && contact.bookings <= bookingsMax ? contact.bookedFor : undefined;
  const dueAt =
    booked === undefined
      ? retryAt(window, campaign.retry.on[outcome], { campaign, contact, now })
      : window.nextOpening(Math.max(booked, now));
  if (dueAt === undefined || dueAt >= (campaign.endsAt ?? Number.POSITIVE_INFINITY)) return final;
  return { kind: 'AGAIN', dueAt, isBooked: booked !== undefined };
}

interface Tried {
  readonly campaign: Campaign;
  readonly contact: Contact;
  readonly now: Instant;
}

function retryAt(window: CallingWindow, rule: RetryRule | undefined, { campaign, contact, now }: Tried): Instant | undefined {
  const outcome = contact.tries.at(-1)?.outcome;
  const times = contact.tries.filter((each) => each.outcome === outcome).length;
  if (!rule || outcome === undefined || times > rule.times) return undefined;
  if (contact.tries.length - contact.bookings >= campaign.retry.attemptsMax) return undefined;
  const earliest = window.nextOpening(now + rule.afterMs * rule.factor ** (times - 1));
  if (earliest === undefined || !askForAnotherHour.has(outcome)) return earliest;
  return atAnotherHour(
    window,
    earliest,
    contact.tries.map(({ at }) => at),
  );
}

/** The first opening within a day whose hour was tried least often. */
export function atAnotherHour(window: CallingWindow, earliest: Instant, tried: readonly Instant[]): Instant {
  const triedHours = tried.map((at) => hourOf(at, window.hourZone));
  let best = { at: earliest, count: Number.POSITIVE_INFINITY };
  for (
    let at: Instant | undefined = earliest;
    at !== undefined && at < earliest + 24 * hourMs;
    at = window.nextOpening(at + hourMs)
  ) {
    const hour = hourOf(at, window.hourZone);
    const count = triedHours.filter((each) => each === hour).length;
    if (count < best.count) best = { at, count };
    if (count === 0) break;
  }
  return best.at;
}
