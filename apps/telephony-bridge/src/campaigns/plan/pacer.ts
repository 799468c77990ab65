import type { Allowance, AttemptOutcome, CampaignPlan, Instant, Tally } from './campaign';

const none: Allowance = { kind: 'DIAL', count: 0 };
/** Below this many attempts the answer rate is unknown, and no more is dialled than can be spoken to. */
const attemptsToJudge = 50;
const answerShareLeast = 0.05;
/** About what a minute of talking costs in characters, seconds and tokens; set aside for each call before it is known what they cost. */
const creditsOfAMinute = 1_000;

/** How much a campaign may dial now, or why it pauses. The limits hold whatever becomes of the open calls. */
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

const callersGone = 'The carrier refuses every number that this campaign calls from, or they were deleted.';

function pauseOf(campaign: CampaignPlan, tally: Tally): Allowance | undefined {
  const { failures, among } = campaign.breaker;
  const latest = tally.recent.slice(0, among);
  const failed = latest.filter((outcome) => outcome === 'FAILED' || outcome === 'UNKNOWN').length;
  if (failed >= failures) {
    return { kind: 'PAUSE', cause: 'FAILURES', says: `${failed} of the last ${latest.length} calls failed.` };
  }
  if (campaign.callers.length === 0) {
    return { kind: 'PAUSE', cause: 'CALLER_NUMBERS', says: callersGone };
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

/** An attempt that is pending may be placed any moment, so it counts as if it were. */
function paceRoom({ pacing }: CampaignPlan, { placedLastMinute, pending }: Tally): number {
  return pacing.callsPerMinute - placedLastMinute - pending;
}

function lineRoom({ pacing, organizationLinesMax }: CampaignPlan, tally: Tally): number {
  const ofOrganization = Math.min(organizationLinesMax, tally.freeLines) - tally.organizationOpen;
  return Math.min(pacing.linesMax - openAttempts(tally), ofOrganization);
}

/**
 * An attempt whose cost is unknown counts in full. A call is started when the usual cost is left for it and for all open ones:
 * one that lasts much longer may still cost more.
 */
function creditRoom({ credits }: CampaignPlan, tally: Tally): number {
  if (!credits) return Number.POSITIVE_INFINITY;
  const left = credits.budget - tally.creditsSpent;
  const cost = credits.perCall ?? usualCost(tally);
  const open = openAttempts(tally) + tally.outcomes.UNKNOWN;
  if (cost !== undefined) return left / cost - open;
  // What calls cost is learned by the first one, so a small budget is no reason to make none.
  return (left > 0 ? Math.max(1, left / creditsOfAMinute) : 0) - open;
}

/** What a conversation of the campaign cost until now, on the average; undefined before there was one. */
function usualCost({ creditsSpent, outcomes }: Tally): number | undefined {
  const conversations = outcomes.ANSWERED + outcomes.VOICEMAIL;
  return conversations === 0 ? undefined : Math.max(1, creditsSpent / conversations);
}

/**
 * Calls that may be dialled so that, if every open call were answered by a person now, no more would be abandoned than the cap
 * allows; and not more than are expected to be answered.
 */
function conversationRoom({ pacing }: CampaignPlan, tally: Tally): number {
  const certain = pacing.conversationsMax - openAttempts(tally);
  const ringing = tally.pending + tally.ringing;
  const expected = (pacing.conversationsMax - tally.talking) / answerShare(tally.outcomes) - ringing;
  return Math.max(certain, Math.min(certain + abandonmentsLeft(pacing.abandonedShareMax, tally.outcomes), expected));
}

/**
 * How many more calls may be abandoned before their share of the answered ones is over the cap. Only conversations that are over
 * count as answered, and an attempt of which nothing is known counts as abandoned.
 */
export function abandonmentsLeft(shareMax: number, { ANSWERED, ABANDONED, UNKNOWN }: Tally['outcomes']): number {
  const lost = ABANDONED + UNKNOWN;
  const isWithin = (more: number): boolean => lost + more <= shareMax * (ANSWERED + lost + more);
  let more = shareMax >= 1 ? Number.MAX_SAFE_INTEGER : Math.floor((shareMax * (ANSWERED + lost) - lost) / (1 - shareMax));
  while (more > 0 && !isWithin(more)) more -= 1;
  return Math.max(0, more);
}

/** The share of calls picked up by a person or a machine. */
function answerShare(outcomes: Readonly<Record<AttemptOutcome, number>>): number {
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (all < attemptsToJudge) return 1;
  return Math.max(answerShareLeast, (outcomes.ANSWERED + outcomes.VOICEMAIL + outcomes.ABANDONED) / all);
}
