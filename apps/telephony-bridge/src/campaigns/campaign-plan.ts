import { callsPerNumberUsual } from '@parley/contracts';
import type { Campaign as Record } from './campaign.entity';
import type { CallingRules, Campaign, ContactState, RetryPolicy } from './plan/campaign';

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** A third of the latest thirty: fewer may be a handful of dead numbers in a row. */
const breaker = { failures: 10, among: 30 };
const minuteMs = 60_000;

interface OfOrganization {
  /** Those that its campaigns may take. */
  readonly lines: number;
  readonly legalHours?: CallingRules['legalHours'] | undefined;
  readonly callsPerNumber?: number | undefined;
}

/** A campaign as the engine reads it. */
export function planOf(record: Record, { lines, legalHours, callsPerNumber = callsPerNumberUsual }: OfOrganization): Campaign {
  const { callerNumber, moreCallerNumbers, refusedCallers, maxConcurrentCalls, creditBudget, startsAt, endsAt } = record;
  return {
    id: record.id,
    orgId: record.orgId,
    status: record.status,
    calling: rulesOf(record, legalHours),
    retry: retryOf(record),
    pacing: {
      callsPerMinute: record.callsPerMinute,
      linesMax: maxConcurrentCalls,
      conversationsMax: record.maxConversations ?? maxConcurrentCalls,
      abandonedShareMax: record.abandonedShareMax,
    },
    breaker,
    ...(creditBudget !== null && { credits: { budget: creditBudget } }),
    organizationLinesMax: lines,
    callsPerNumberMax: Math.min(callsPerNumber, record.callsPerNumber ?? callsPerNumber),
    callers: [callerNumber, ...moreCallerNumbers].filter((number) => !refusedCallers.includes(number)),
    ...(startsAt && { startsAt: startsAt.getTime() }),
    ...(endsAt && { endsAt: endsAt.getTime() }),
    regions: record.regions,
  };
}

/** When a campaign may call, with the hours of its organization. */
export function rulesOf(
  { callingHours: { days, from, to }, holidays }: Pick<Record, 'callingHours' | 'holidays'>,
  legalHours: CallingRules['legalHours'] = {},
): CallingRules {
  return {
    weekdays: days.map((day) => weekdays.indexOf(day)),
    fromMinute: minuteOf(from),
    toMinute: minuteOf(to),
    holidays,
    legalHours,
  };
}

export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function retryOf({ retry: { maxAttempts, minutesBetween, retryOn } }: Record): RetryPolicy {
  const rule = { times: maxAttempts, afterMs: minutesBetween * minuteMs, factor: 1 };
  return {
    attemptsMax: maxAttempts,
    on: {
      ...(retryOn.includes('MISSED') && { NO_ANSWER: rule, BUSY: rule, ABANDONED: rule }),
      ...(retryOn.includes('FAILED') && { FAILED: rule }),
      ...(retryOn.includes('VOICEMAIL') && { VOICEMAIL: rule }),
    },
  };
}

/** Counts by state, none left out. */
export function everyState(counts: Partial<{ [state in ContactState]: number }>): { [state in ContactState]: number } {
  const { WAITING = 0, ACTIVE = 0, COMPLETED = 0, MISSED = 0, FAILED = 0, DO_NOT_CALL = 0, CANCELLED = 0 } = counts;
  return { WAITING, ACTIVE, COMPLETED, MISSED, FAILED, DO_NOT_CALL, CANCELLED };
}
