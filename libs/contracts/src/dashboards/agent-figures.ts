import { z } from 'zod';
import { ProviderError } from '../conversation/turn-parts';
import { conversationChannels } from '../conversation/turns';
import { creditKinds } from '../gateway/credits';
import { defineRequest, defineStream } from '../messages';
import { agentKeyExample, CsvPart, described, startAfterEnd, startsBeforeEnd, Uuid } from '../vocabulary';
import { AgentIds, endsSoonEnough, endsTooLate, figureSpan } from './call-counts';

const Count = z.int().min(0);
const Rate = z.number().min(0).max(1);
const rowsMax = 100_000;
const agentsMax = 10_000;

/** The key is null for an agent that its service no longer knows. */
const agentIds = { AgentKeyID: Uuid.nullable(), AgentID: z.int() };
const agentExample = { AgentKeyID: agentKeyExample, AgentID: 12 };

/** A span of time and some agents: the query of most figures of agents. */
export const AgentFiguresQuery = described(
  'AgentFiguresQuery',
  'A span of time, and the agents to include (all by default).',
  z
    .object({ ...figureSpan, agentIds: AgentIds })
    .refine(startsBeforeEnd, startAfterEnd)
    .refine(endsSoonEnough, endsTooLate),
  { startDate: '2026-03-01', endDate: '2026-03-31', agentIds: [12] },
  { startDate: '2026-03-01', endDate: '2026-03-31' },
);

/** The parts of a turn's latency, each measured separately. */
export const latencyPartNames = [
  'endOfTurn',
  'transcription',
  'retrieval',
  'firstToken',
  'firstAudio',
  'pacing',
  'total',
] as const;

const percentile = (share: string) =>
  z
    .number()
    .min(0)
    .meta({ description: `The most milliseconds that ${share} of them took, within 4 %.` });

const Percentiles = z.object({
  part: z.enum(latencyPartNames),
  turns: Count.meta({ description: 'Turns in which this part took place.' }),
  p50Ms: percentile('half'),
  p90Ms: percentile('90 %'),
  p95Ms: percentile('95 %'),
  p99Ms: percentile('99 %'),
});

export const getLatencyFigures = defineRequest({
  subject: 'dashboards.latency.get',
  request: AgentFiguresQuery,
  reply: described(
    'LatencyFigures',
    'How long callers waited for the start of an answer, by agent and channel, split into parts. A percentile is within 4 % of the true one, rounded to a tenth of a millisecond; less than a millisecond is 0.',
    z.object({
      agents: z
        .array(z.object({ ...agentIds, channel: z.enum(conversationChannels), parts: z.array(Percentiles).max(10) }))
        .max(agentsMax),
    }),
    {
      agents: [
        {
          ...agentExample,
          channel: 'PHONE',
          parts: [{ part: 'total', turns: 812, p50Ms: 640, p90Ms: 980, p95Ms: 1120, p99Ms: 1750 }],
        },
      ],
    },
  ),
});

const soundExample = { audioSeconds: 40, heardSeconds: 1_200, spokenSeconds: 610 };
const usage = { TTT_API: 41_200, TTS_API: 9_300, STT_API: 1_240 };
const CreditsByKind = z.object({
  TTT_API: Count.meta({ description: 'Credits for text, at the price of the day of the charge.' }),
  TTS_API: Count.meta({ description: 'Credits for speech.' }),
  STT_API: Count.meta({ description: 'Credits for transcription.' }),
} satisfies Record<(typeof creditKinds)[number], z.ZodType>);

const PromptTokens = Count.meta({
  description:
    'Tokens that models read in turns asked in the span, but for answers that were withdrawn before anything of them was heard, which are charged too.',
});
const CompletionTokens = Count.meta({ description: 'Tokens that models wrote in those turns.' });
const sound = {
  audioSeconds: Count.meta({ description: 'Seconds of recordings that were sent as questions and understood.' }),
  heardSeconds: Count.meta({
    description:
      'Seconds of callers’ sound in calls and live conversations that have ended, on the day on which they began. Speech that an engine failed to transcribe is neither charged nor counted.',
  }),
  spokenSeconds: Count.meta({ description: 'Seconds of speech that these conversations sent to callers.' }),
};

export const getUsageFigures = defineRequest({
  subject: 'dashboards.usage.get',
  request: AgentFiguresQuery,
  reply: described(
    'UsageFigures',
    'Credits charged and model tokens used, by agent and day. A charge without an agent has AgentID null and is omitted for restricted members.',
    z.object({
      credits: CreditsByKind.meta({ description: 'Credits charged in the span, by kind, each in its own unit.' }),
      requests: Count.meta({ description: 'Charged requests.' }),
      promptTokens: PromptTokens,
      completionTokens: CompletionTokens,
      ...sound,
      byDay: z
        .array(
          z.object({
            date: z.iso.date(),
            ...agentIds,
            AgentID: z.int().nullable(),
            credits: CreditsByKind,
            requests: Count.meta({ description: 'Charged requests on that day by that agent.' }),
            promptTokens: PromptTokens,
            completionTokens: CompletionTokens,
            ...sound,
          }),
        )
        .max(rowsMax)
        .meta({ description: 'Days and agents with usage, in order.' }),
    }),
    {
      credits: usage,
      requests: 120,
      promptTokens: 38_000,
      completionTokens: 3_200,
      ...soundExample,
      byDay: [
        {
          date: '2026-03-02',
          ...agentExample,
          credits: usage,
          requests: 120,
          promptTokens: 38_000,
          completionTokens: 3_200,
          ...soundExample,
        },
      ],
    },
  ),
});

const ConversationCounts = z.object({
  conversations: Count.meta({ description: 'Conversations that have ended, on the day on which they began.' }),
  engaged: Count.meta({ description: 'Those in which something was asked and answered.' }),
  contained: Count.meta({
    description:
      'Engaged ones that ended without being handed to a person. A conversation in which nothing was answered, such as one in unheard, is not contained.',
  }),
  containmentRate: Rate.meta({ description: 'contained ÷ engaged; 0 without any.' }),
  answered: Count.meta({ description: 'Those with the outcome ANSWERED: something was known for at least one question.' }),
  unanswered: Count.meta({
    description: 'Those with the outcome UNANSWERED: questions were asked, and nothing was known for any.',
  }),
  transferred: Count.meta({ description: 'Those with the outcome TRANSFERRED: handed to a person.' }),
  abandoned: Count.meta({ description: 'Those with the outcome ABANDONED: nothing was asked.' }),
  failed: Count.meta({
    description:
      'Those with the outcome FAILED: a failure ended them, or nothing was answered because the question failed or the caller was not heard.',
  }),
  unheard: Count.meta({
    description:
      'Spoken conversations in which the caller spoke and nothing was transcribed, because an engine failed or there is none. Those without a turn are among failed.',
  }),
  hungUp: Count.meta({ description: 'Spoken conversations that the caller ended.' }),
  turns: Count.meta({ description: 'Turns asked in the span, without discarded ones.' }),
  interruptedTurns: Count.meta({ description: 'Turns whose answer the caller did not hear to its end.' }),
  failedTurns: Count.meta({ description: 'Turns that no model of any provider answered.' }),
  lostTurns: Count.meta({ description: 'Turns that were lost when the process working on them ended.' }),
});
const conversationCounts = {
  conversations: 120,
  engaged: 110,
  contained: 99,
  containmentRate: 0.9,
  answered: 90,
  unanswered: 9,
  transferred: 11,
  abandoned: 9,
  failed: 1,
  unheard: 1,
  hungUp: 48,
  turns: 480,
  interruptedTurns: 31,
  failedTurns: 2,
  lostTurns: 0,
};

export const getConversationFigures = defineRequest({
  subject: 'dashboards.conversation.get',
  request: AgentFiguresQuery,
  reply: described(
    'ConversationFigures',
    'How conversations ended, where callers interrupt or hang up, what languages they speak, and where providers failed.',
    z.object({
      ...ConversationCounts.shape,
      agents: z.array(z.object({ ...agentIds, ...ConversationCounts.shape })).max(agentsMax),
      languages: z
        .array(
          z.object({
            language: z.string(),
            turns: Count.meta({ description: 'Turns asked in this language.' }),
            share: Rate.meta({ description: 'Its turns ÷ all turns.' }),
          }),
        )
        .max(100)
        .meta({ description: 'The languages of the turns, most spoken first.' }),
      byTurn: z
        .array(
          z.object({
            turn: z.int().min(0).max(20),
            turns: Count.meta({ description: 'Turns at this place of their conversation.' }),
            interruptedTurns: Count.meta({ description: 'Those of them whose answer the caller did not hear to its end.' }),
            hungUp: Count.meta({ description: 'Spoken conversations that the caller ended after this number of turns.' }),
          }),
        )
        .max(21)
        .meta({
          description: 'By the place in the conversation, from 1; 0 is before the first question, 20 the twentieth and later.',
        }),
      providerErrors: z
        .array(
          z.object({
            ...ProviderError.shape,
            errors: Count.meta({
              description: 'How often this provider failed in this way, even if another one took over.',
            }),
          }),
        )
        .max(200)
        .meta({
          description:
            'Failures of providers in turns and conversations, by provider and kind, most frequent first. The provider is `none` if no engine supports the language, or no voice the script of a sentence.',
        }),
    }),
    {
      ...conversationCounts,
      agents: [{ ...agentExample, ...conversationCounts }],
      languages: [{ language: 'english', turns: 300, share: 0.625 }],
      byTurn: [{ turn: 1, turns: 110, interruptedTurns: 9, hungUp: 3 }],
      providerErrors: [{ role: 'LANGUAGE_MODEL' as const, provider: 'openai/gpt-4.1-mini', kind: 'BUSY' as const, errors: 4 }],
    },
  ),
});

/** What can be exported, one line per item. */
export const exportedFacts = ['calls', 'conversations', 'turns', 'salesCalls'] as const;

const exportTimeoutMs = 3_600_000;

export const exportFacts = defineStream({
  subject: 'dashboards.fact.export',
  timeoutMs: exportTimeoutMs,
  request: described(
    'FactExportQuery',
    'Which facts, in which span. `agentIds` does not apply to the calls of sales representatives.',
    z
      .object({ facts: z.enum(exportedFacts), ...figureSpan, agentIds: AgentIds })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(endsSoonEnough, endsTooLate),
    { facts: 'calls', startDate: '2026-03-01', endDate: '2026-03-31' },
  ),
  item: CsvPart,
});

const QualityFigures = z.object({
  calls: Count.meta({ description: 'Ended calls whose bridge reported their sound quality.' }),
  lateFrameRate: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Frames that arrived too late to be played ÷ all frames of these calls.' }),
  lostFrameRate: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Frames that never arrived ÷ all frames of calls over lines that see single packets.' }),
  averageJitterMs: z.number().min(0).meta({ description: 'The mean jitter of these calls, each call counting once.' }),
  oneWayCalls: Count.meta({ description: 'Calls in which one side sent no sound although the call was answered.' }),
});
const figures = { calls: 40, lateFrameRate: 0.002, lostFrameRate: 0.001, averageJitterMs: 6.5, oneWayCalls: 1 };

export const getVoiceQuality = defineRequest({
  subject: 'dashboards.voice-quality.get',
  request: AgentFiguresQuery,
  reply: described(
    'VoiceQualityFigures',
    'The sound quality of telephone calls, in total, by agent and by day.',
    z.object({
      ...QualityFigures.shape,
      agents: z.array(z.object({ ...agentIds, ...QualityFigures.shape })).max(agentsMax),
      series: z.array(z.object({ date: z.iso.date(), ...QualityFigures.shape })).max(3660),
    }),
    { ...figures, agents: [{ ...agentExample, ...figures }], series: [{ date: '2026-03-02', ...figures }] },
  ),
});
