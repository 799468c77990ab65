import {
  getCallTrends,
  getCampaignDashboard,
  getConversationFigures,
  getDashboardCount,
  getFaqHits,
  getLatencyFigures,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  getTodayCounts,
  getUnansweredQuestions,
  getUsageFigures,
  getVoiceQuality,
} from '@parley/contracts';
import { z } from 'zod';
import { recounts } from './recounts';

type Recount = keyof typeof recounts;

interface Chapter {
  readonly endpoint: string;
  readonly reply: z.ZodType;
  readonly recounts: readonly Recount[];
  /** What the recount does not show. */
  readonly notes: string;
}

const count = 'POST /api/v1/external/dashboard-count';
const sales = 'POST /api/v1/external/sales-performance';

const chapters: readonly Chapter[] = [
  {
    endpoint: `${count}/get-dashboard-count`,
    reply: getDashboardCount.reply,
    recounts: ['getDashboardCount'],
    notes: 'The total counts are the sums of the days; the mean is taken over all calls, not over the daily means.',
  },
  {
    endpoint: 'GET /api/v1/external/dashboard-count/get-today-count',
    reply: getTodayCounts.reply,
    recounts: [],
    notes:
      'The day is that of the organization’s time zone. The counts are those of get-dashboard-count with today as both ends; `GET …/live` sends them whenever they change, together with the live calls.',
  },
  {
    endpoint: 'POST /api/v1/external/campaign/get-campaign-dashboard',
    reply: getCampaignDashboard.reply,
    recounts: ['getCampaignDashboard'],
    notes: 'Without dates everything stored is counted. Contacts are distinguished as long as individual calls are kept.',
  },
  {
    endpoint: `${sales}/get-summary`,
    reply: getSalesSummary.reply,
    recounts: ['getSalesSummary'],
    notes: 'A call that is reported late counts on the day on which it began. Reported twice, it counts once.',
  },
  {
    endpoint: `${sales}/get-leaderboard`,
    reply: getSalesLeaderboard.reply,
    recounts: ['getSalesLeaderboard'],
    notes:
      'The summary of each representative. The best has rank 1, whatever the order; equal figures share a rank, and the next rank is one more than the number of representatives before it.',
  },
  {
    endpoint: `${sales}/get-target-achievement`,
    reply: getTargetAchievement.reply,
    recounts: ['getTargetAchievement'],
    notes: 'A target is counted over its own days, even if the requested span is shorter. achievement is achieved ÷ target.',
  },
  {
    endpoint: `${sales}/get-call-trends`,
    reply: getCallTrends.reply,
    recounts: ['getCallTrends'],
    notes:
      'The summary of each step. Hours begin with the local day, so a day on which the clocks change has 23 or 25 of them; weeks begin on Monday. If the span begins or ends within a step, the step counts only what is in the span.',
  },
  {
    endpoint: `${count}/get-latency`,
    reply: getLatencyFigures.reply,
    recounts: ['getLatencyFigures'],
    notes:
      'The recount is exact; the endpoint answers from histograms whose bins grow by 8 %, so that a percentile is the middle of its bin: within 4 %, and rounded to a tenth of a millisecond.',
  },
  {
    endpoint: `${count}/get-usage`,
    reply: getUsageFigures.reply,
    recounts: ['getUsageFigures', 'usedByTurns', 'soundOfConversations'],
    notes:
      'Cost is given in credits, each kind in its own unit: an installation has prices in credits per thousand units, and none in money. Charges count when they were booked, tokens when the turn was asked, live sound on the day on which its conversation began, once that has ended: STT_API of a conversation that passes midnight is charged on both days. If a process dies before its line ends, its sound is not in the seconds, and the part not yet booked is charged later, to no agent. The platform does not know what a provider bills.',
  },
  {
    endpoint: `${count}/get-conversation-figures`,
    reply: getConversationFigures.reply,
    recounts: ['getConversationFigures', 'turnsByLanguage', 'turnsByPlace', 'providerErrors'],
    notes:
      'A conversation counts once it has ended, on the day on which it began; one that was resumed counts by its last end. failedTurns are what callers noticed of failing providers; providerErrors are the failures of language models and, in live conversations, of speech engines, even if another engine took over. They are reported with the turn; failures without a turn are reported with the conversation, at most ten for one. A conversation in which the caller spoke and nothing was transcribed is `unheard`: without a turn such a conversation has FAILED and was not abandoned, is not engaged, and so neither raises nor lowers the containment rate. Its speech is not charged. Clients of a socket are warned with SPEECH_NOT_WRITTEN; on a telephone the agent says after three such turns that it cannot hear, and ends the call as FAILED.',
  },
  {
    endpoint: `${count}/get-unanswered-questions`,
    reply: getUnansweredQuestions.reply,
    recounts: ['getUnansweredQuestions'],
    notes:
      'Wordings that differ in case, spaces and punctuation are one. Wordings whose vectors are as close as two ways to ask the same thing form one group, named by its most used wording. Numbers of seven digits and more, in the digits of any script or said figure by figure, mail addresses, PANs and account numbers with letters are left out of the wording; days, times of a day and spans of them stay (25.12.2026, 2026-12-25, 10:30), and so do names and where somebody lives, which cannot be told from other words. Erasing a conversation removes its questions. The two hundred most used wordings are compared; `isSample` says when there are more.',
  },
  {
    endpoint: `${count}/get-faq-hits`,
    reply: getFaqHits.reply,
    recounts: ['getFaqHits'],
    notes: 'The question has the wording of the last time it was given.',
  },
  {
    endpoint: `${count}/get-voice-quality`,
    reply: getVoiceQuality.reply,
    recounts: ['getVoiceQuality'],
    notes: 'As the bridge measured it by the end of a call; calls without measurements are not counted.',
  },
];

const heading = `# Figures

What every figure of the dashboards means. This page is made from the contracts and from the recounts in
\`apps/dashboards/src/testing/recounts.ts\`; tests hold the endpoints to the recounts and this page to both.

- A span contains both of its ends: a day counts to its last millisecond, an instant to its own. Days are those of the organization's
  time zone, or of \`timeZone\` where a query has it. Series have every step, also empty ones.
- Members who are restricted to some agents see figures of those agents only. An agent that does not exist, or is not theirs, is 404.
- Figures are kept by quarters of an hour (UTC), which add up to the days of every current time zone, and by days (UTC), so that long
  spans need few of them. Where an instant cuts a quarter, its facts are counted; where those are gone (below), the span begins and
  ends with whole quarters.
- Later news of the same thing replaces what was known: figures change accordingly, also of days long past.
- Single facts are kept for \`DASHBOARDS_FACTS_MONTHS\`, figures for \`DASHBOARDS_FIGURES_MONTHS\`. A sales call reported
  for a month whose single facts are gone is refused with the first instant that counts; other news of such months is not counted.
  \`npm run rebuild -- dashboards\` counts the figures anew from the facts while the
  platform serves; with \`--check\` it only says where they differ.

In the recounts $1 is the organization, $2 and $3 the first and the last day, $4 the time zone, $5 the agents or representatives and $6 the width of the steps.
`;

/** The page that defines every figure. */
export function figuresPage(): string {
  return `${heading}\n${chapters.map(chapterOf).join('\n')}`;
}

function chapterOf({ endpoint, reply, recounts: names, notes }: Chapter): string {
  const { description } = reply.meta() ?? {};
  const fields = definedFields(z.toJSONSchema(reply));
  const list = fields.map(([name, meaning]) => `- \`${name}\`: ${meaning}`).join('\n');
  const queries = names.map((name) => `\`\`\`sql\n${recounts[name].trim()}\n\`\`\`\n`);
  return [`## \`${endpoint}\`\n`, `${description ?? ''} ${notes}\n`, ...(list ? [`${list}\n`] : []), ...queries].join('\n');
}

const Node = z.looseObject({
  type: z.unknown().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
});

/** Every field with a description, each name once. */
function definedFields(schema: unknown, found = new Map<string, string>()): [string, string][] {
  const { properties = {}, items, $defs = {} } = Node.parse(schema ?? {});
  for (const [name, value] of Object.entries(properties)) {
    const { description } = Node.parse(value);
    if (description && !found.has(name)) found.set(name, description);
    definedFields(value, found);
  }
  for (const inner of [...Object.values($defs), ...(items ? [items] : [])]) definedFields(inner, found);
  return [...found];
}

/** Numbers in replies that have no description. */
export function undefinedFigures(): string[] {
  return chapters.flatMap(({ endpoint, reply }) => undefinedIn(z.toJSONSchema(reply)).map((name) => `${endpoint} ${name}`));
}

/** Numbers that are ids or page numbers are not figures. */
const isName = (name: string): boolean => /ID$/.test(name) || ['turn', 'totalCount', 'pageNo', 'pageSize'].includes(name);

function undefinedIn(schema: unknown): string[] {
  const { properties = {}, items, $defs = {} } = Node.parse(schema ?? {});
  const own = Object.entries(properties).flatMap(([name, value]) => {
    const { type, description } = Node.parse(value);
    return (type === 'number' || type === 'integer') && !description && !isName(name) ? [name] : [];
  });
  return [...own, ...[...Object.values(properties), ...Object.values($defs), ...(items ? [items] : [])].flatMap(undefinedIn)];
}
