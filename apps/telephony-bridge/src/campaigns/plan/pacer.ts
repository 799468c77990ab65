import type { Allowance, AttemptOutcome, CampaignPlan, Instant, Tally } from './campaign';

const none: Allowance = { kind: 'DIAL', count: 0 };
/** With fewer attempts the answer rate is unknown, and no more calls are dialled than conversations are free. */
const attemptsToJudge = 50;
const answerShareLeast = 0.05;
/** The approximate cost of a minute, in characters, seconds and tokens. It is set aside for each call until the usual cost is known. */
const creditsOfAMinute = 1_000;

/** How much a campaign may dial now, or why it pauses. The limits hold whatever the outcome of open calls. */
export function allowance(campaign: CampaignPlan, tally: Tally, now: Instant): Allowance {
  if (campaign.status !== 'RUNNING' || now < (campaign.startsAt ?? 0) || now >= (campaign.endsAt ?? Infinity)) return none;
  const pause = pauseOf(campaign, tally);
  if (pause) return pause;
  const room = [paceRoom, lineRoom, creditRoom, conversationRoom].map((roomOf) => roomOf(campaign, tally));
  return { kind: 'DIAL', count: Math.max(0, Math.floor(Math.min(...room))) };
}

/** Attempts that are not over. */
export function openAttempts({ pending, ringing, talking }: Tally): number {
  return pending + ringing + talking;
}

const numbersRefused = 'The carrier refuses every number that this campaign calls from, or they were deleted.';

function pauseOf(campaign: CampaignPlan, tally: Tally): Allowance | undefined {
  const { failures, among } = campaign.breaker;
  const latest = tally.recent.slice(0, among);
  const failed = latest.filter((outcome) => outcome === 'FAILED' || outcome === 'UNKNOWN').length;
  if (failed >= failures) {
    return { kind: 'PAUSE', cause: 'FAILURES', says: `${failed} of the last ${latest.length} calls failed.` };
  }
  if (campaign.callers.length === 0) {
    return { kind: 'PAUSE', cause: 'CALLER_NUMBERS', says: numbersRefused };
  }
  if (openAttempts(tally) > 0 || creditRoom(campaign, tally) >= 1) return undefined;
  return { kind: 'PAUSE', cause: 'BUDGET', says: spentOf(campaign, tally) };
}

function spentOf({ credits }: CampaignPlan, tally: Tally): string {
  const { creditsSpent, outcomes } = tally;
  const spent = `The budget is spent: ${creditsSpent} of ${credits?.budget ?? 0} credits`;
  const cost = credits?.perCall ?? usualCost(tally);
  if (cost === undefined)
    return outcomes.UNKNOWN === 0 ? `${spent}.` : `${spent}, and calls of which nothing is known count in full.`;
  return `${spent}, and another call may take ${Math.ceil(cost)}.`;
}

/** A pending attempt may be placed at any moment, so it counts as placed. */
function paceRoom({ pacing }: CampaignPlan, { placedLastMinute, pending }: Tally): number {
  return pacing.callsPerMinute - placedLastMinute - pending;
}

function lineRoom({ pacing, organizationLinesMax }: CampaignPlan, tally: Tally): number {
  const ofOrganization = Math.min(organizationLinesMax, tally.freeLines) - tally.organizationOpen;
  return Math.min(pacing.linesMax - openAttempts(tally), ofOrganization);
}

/**
 * An attempt with an unknown cost counts in full. A call is started if the usual cost is left for it and all open ones; much longer
 * calls may still exceed the budget.
 */
function creditRoom({ credits }: CampaignPlan, tally: Tally): number {
  if (!credits) return Number.POSITIVE_INFINITY;
  const left = credits.budget - tally.creditsSpent;
  const cost = credits.perCall ?? usualCost(tally);
  const open = openAttempts(tally) + tally.outcomes.UNKNOWN;
  if (cost !== undefined) return left / cost - open;
  // The cost is learned from the first call, so even a small budget allows one.
  return (left > 0 ? Math.max(1, left / creditsOfAMinute) : 0) - open;
}

/** The average cost of the campaign's conversations so far; undefined before the first. */
function usualCost({ creditsSpent, outcomes }: Tally): number | undefined {
  const conversations = outcomes.ANSWERED + outcomes.VOICEMAIL;
  return conversations === 0 ? undefined : Math.max(1, creditsSpent / conversations);
}

/**
 * How many calls to dial: at most as many as are expected to be answered, and few enough that the abandonment cap holds even if
 * every open call were answered now.
 */
function conversationRoom({ pacing }: CampaignPlan, tally: Tally): number {
  const certain = pacing.conversationsMax - openAttempts(tally);
  const ringing = tally.pending + tally.ringing;
  const expected = (pacing.conversationsMax - tally.talking) / answerShare(tally.outcomes) - ringing;
  return Math.max(certain, Math.min(certain + abandonmentsLeft(pacing.abandonedShareMax, tally.outcomes), expected));
}

/**
 * How many more calls may be abandoned before their share of the answered ones exceeds the cap. Only ended conversations count as
 * answered, and attempts with an unknown outcome count as abandoned.
 */
export function abandonmentsLeft(shareMax: number, { ANSWERED, ABANDONED, UNKNOWN }: Tally['outcomes']): number {
  const lost = ABANDONED + UNKNOWN;
  const isWithin = (more: number): boolean => lost + more <= shareMax * (ANSWERED + lost + more);
  let more = shareMax >= 1 ? Number.MAX_SAFE_INTEGER : Math.floor((shareMax * (ANSWERED + lost) - lost) / (1 - shareMax));
  while (more > 0 && !isWithin(more)) more -= 1;
  return Math.max(0, more);
}

/** The share of attempts answered by a person or a machine. */
function answerShare(outcomes: Readonly<Record<AttemptOutcome, number>>): number {
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (all < attemptsToJudge) return 1;
  return Math.max(answerShareLeast, (outcomes.ANSWERED + outcomes.VOICEMAIL + outcomes.ABANDONED) / all);
}
