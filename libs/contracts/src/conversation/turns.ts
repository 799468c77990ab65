import { z } from 'zod';
import { defineRequest, defineStream } from '../messages';
import {
  agentKeyExample,
  described,
  FileReference,
  RecordId,
  sessionExample,
  SpeechLanguage,
  TurnsPayer,
  Uuid,
} from '../vocabulary';
import { chatEvents } from './chat';
import { LatencyParts, ProviderError, providerErrorsMax, Question, TokenUsage, Variables } from './turn-parts';

export const conversationChannels = ['API', 'WIDGET', 'VOICE', 'PHONE'] as const;
export const ConversationChannel = z.enum(conversationChannels);

const latency = {
  endOfTurnMs: null,
  transcriptionMs: 90,
  retrievalMs: 11,
  firstTokenMs: 240,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 341,
};

/** The items of a turn, in this order: session, transcription (for a spoken question), any number of deltas, done. */
export const TurnItem = described(
  'TurnItem',
  'One step of an answer.',
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('session'),
      ...chatEvents.session.shape,
      turnUUID: Uuid,
      /** The agent of the turn, under which charges are booked. */
      AgentID: RecordId.optional(),
      AgentKeyID: Uuid.optional(),
    }),
    z.object({
      type: z.literal('transcription'),
      ...chatEvents.transcription.shape,
      /** The length of the recording. */
      audioSeconds: z.int().min(0).optional(),
    }),
    z.object({
      type: z.literal('delta'),
      ...chatEvents.delta.shape,
      /** About how many prompt tokens its models have read so far; sent when it grows. */
      promptTokens: z.int().min(0).optional(),
    }),
    z.object({
      type: z.literal('done'),
      ...chatEvents.done.shape,
      turnUUID: Uuid,
      isFromFaq: z.boolean(),
      wantsToEnd: z.boolean(),
      /** The number that the caller is to be connected to after the answer. */
      transferTo: z.e164().optional(),
      audioSeconds: z.int().min(0).default(0),
      latency: LatencyParts,
    }),
  ]),
  { type: 'delta', text: 'Within ' },
);
export type TurnItem = z.output<typeof TurnItem>;

/** Few languages have fewer letters per token, and hardly any has more than twice as many. */
const lettersPerTokenTypicalMax = 4;

/**
 * An estimate of what a turn used, from what a reader saw of it; all that is known if its service dies without a record. Words
 * that came without prompt tokens are stored answers, which cost nothing.
 */
export class SeenUsage {
  private letters = 0;
  private promptTokens = 0;
  audioSeconds = 0;

  note(item: TurnItem): void {
    if (item.type === 'transcription') this.audioSeconds = item.audioSeconds ?? 0;
    if (item.type !== 'delta') return;
    this.letters += item.text.length;
    this.promptTokens = item.promptTokens ?? this.promptTokens;
  }

  get tokenUsage(): z.output<typeof TokenUsage> {
    const { promptTokens } = this;
    const completionTokens = promptTokens > 0 ? Math.ceil(this.letters / lettersPerTokenTypicalMax) : 0;
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }
}

/**
 * How a turn is paid for. Before it spends more than `tokens`, it extends its hold (`extendCharge`). With `isSettledByTurn`, it
 * charges what it produced itself if its reader has left (`settleCharge`), since the gateway may be gone too. It shares its id
 * with its charge, so that its record shows what is owed even if the process settling it dies (`readPaidTurns`). With
 * `isOfAttempt`, under an Idempotency-Key, it shares the id as well, but when it is cut off it only reports its usage to the
 * gateways: whether the key or the attempt pays is known only to the one that opened the charge. For a charge under a key from an
 * earlier gateway version neither is set, and several turns may share it. With `ofSession`, the turn belongs to a live session: it
 * opens its hold itself, and the payer of the session ends the charge by what the speech service says of it (`turn.used`).
 */
const TurnPayment = z.object({
  chargeId: Uuid,
  tokens: z.int().min(0),
  isSettledByTurn: z.boolean(),
  isOfAttempt: z.boolean().default(false),
  ofSession: TurnsPayer.optional(),
});
export type PaymentTerms = z.output<typeof TurnPayment>;

/**
 * One turn of an agent: chat streams it to the client, the voice engine speaks it. A reader that stops interrupts it: a text
 * answer keeps what was produced, a spoken one (VOICE, PHONE) counts as unheard until recordHeardText says otherwise. If the reader
 * `reportsHeard`, so does a complete one, since speaking it takes longer than writing it. With `isSpeculative`, stopping discards
 * the turn, because its question was not finished, until recordHeardText says that it is. With `isWhole` no deltas are sent.
 */
export const streamTurn = defineStream({
  subject: 'conversation.turn.stream',
  request: described(
    'TurnRequest',
    'What the user said, as text or as a recording. An agent key determines the agent; other callers name it.',
    z
      .object({
        AgentKeyID: Uuid.optional(),
        sessionUUID: Uuid.optional(),
        channel: ConversationChannel.default('API'),
        question: Question.optional(),
        audio: FileReference.extend({ sampleRate: z.int().min(8000).max(48_000).optional() }).optional(),
        language: SpeechLanguage.optional(),
        variables: Variables.optional(),
        includeSources: z.boolean().default(false),
        isSpeculative: z.boolean().default(false),
        /** The answer is spoken, and `recordHeardText` tells how much of it was heard, also if that is all of it. */
        reportsHeard: z.boolean().default(false),
        /** How long the caller pauses within a sentence, for a line that continues the conversation. */
        usualPauseMs: z.number().min(0).optional(),
        isWhole: z.boolean().default(false),
        payment: TurnPayment.optional(),
      })
      .refine((body) => Boolean(body.question) !== Boolean(body.audio), {
        path: ['question'],
        error: 'is required, or audio instead of it',
      }),
    { AgentKeyID: agentKeyExample, sessionUUID: sessionExample, channel: 'VOICE', question: 'When do you deliver?' },
  ),
  item: TurnItem,
});

const TurnChoice = described('TurnChoice', 'One turn.', z.object({ sessionUUID: Uuid, turnUUID: Uuid }), {
  sessionUUID: sessionExample,
  turnUUID: agentKeyExample,
});

/** How a turn ended and what it cost, even if its reader has left. Waits a few seconds for a turn in progress. */
export const readTurn = defineRequest({
  subject: 'conversation.turn.read',
  request: TurnChoice,
  reply: described(
    'TurnRecord',
    'A turn as it was stored.',
    z.object({
      turnUUID: Uuid,
      status: z.enum(['RUNNING', 'COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST', 'DISCARDED']),
      answer: z.string(),
      tokenUsage: TokenUsage,
      audioSeconds: z.int().min(0),
    }),
    {
      turnUUID: agentKeyExample,
      status: 'INTERRUPTED',
      answer: 'Within three',
      audioSeconds: 0,
      tokenUsage: { promptTokens: 380, completionTokens: 3, totalTokens: 383 },
    },
  ),
});

/**
 * Corrects history after an interruption: only what the listener can have heard is kept. Also restores a discarded turn. With
 * `soFar`, the answer continues: what was asked and heard so far is stored in case the process dies before it reports the end. Once
 * the text is done (`isDone`), its turn counts as interrupted there, until `isAll` says that all of it was heard. The first report
 * after the first sound also says how the time before it was spent, and which speech engines failed: `measured`.
 */
export const recordHeardText = defineRequest({
  subject: 'conversation.turn.heard',
  request: described(
    'HeardTextRequest',
    'The part of an answer that was heard.',
    z.object({
      sessionUUID: Uuid,
      turnUUID: Uuid,
      heardText: z.string().max(20_000),
      playedMs: z.int().min(0),
      soFar: z
        .object({ question: z.string().max(8000), isDone: z.boolean().default(false), isAll: z.boolean().default(false) })
        .optional(),
      measured: z
        .object({ latency: LatencyParts, providerErrors: z.array(ProviderError).max(providerErrorsMax).default([]) })
        .optional(),
    }),
    { sessionUUID: sessionExample, turnUUID: agentKeyExample, heardText: 'Within three', playedMs: 640 },
  ),
  reply: described('HeardTextRecorded', 'History is corrected.', z.object({ sessionUUID: Uuid }), {
    sessionUUID: sessionExample,
  }),
});

/**
 * The conversation ended before this was answered: the caller hung up after it, or in the middle of it. History and logs keep it
 * as a turn without an answer. Recording the same turn twice changes nothing.
 */
export const recordUnanswered = defineRequest({
  subject: 'conversation.turn.unanswered',
  request: described(
    'UnansweredRequest',
    'What was said last, and the id of the turn that it becomes.',
    z.object({ sessionUUID: Uuid, turnUUID: Uuid, question: Question }),
    { sessionUUID: sessionExample, turnUUID: agentKeyExample, question: 'Please never call me again.' },
  ),
  reply: described('UnansweredRecorded', 'It is in the history.', z.object({ sessionUUID: Uuid }), {
    sessionUUID: sessionExample,
  }),
});

/**
 * Removes a turn from the conversation as if it had never been asked: the caller kept speaking, so its answer was to half a
 * question. It appears neither in history nor in logs and totals. Leave its stream first; discarding twice does no harm.
 */
export const discardTurn = defineRequest({
  subject: 'conversation.turn.discard',
  request: TurnChoice,
  reply: described(
    'TurnDiscarded',
    'The turn is discarded. What its model produced is charged all the same.',
    // Absent from a conversation service of an earlier build.
    z.object({ sessionUUID: Uuid, tokenUsage: TokenUsage.optional() }),
    { sessionUUID: sessionExample, tokenUsage: { promptTokens: 380, completionTokens: 3, totalTokens: 383 } },
  ),
});

/**
 * How the time of a spoken turn was spent, and which speech engines failed in it, if there is no report of what was heard
 * (`recordHeardText`) to say so.
 */
export const recordLatency = defineRequest({
  subject: 'conversation.turn.latency',
  request: described(
    'TurnLatencyRequest',
    'The parts of the delay before an answer was heard, and failures of speech engines: at least one of the two.',
    z.object({
      sessionUUID: Uuid,
      turnUUID: Uuid,
      latency: LatencyParts.optional(),
      providerErrors: z.array(ProviderError).max(providerErrorsMax).default([]),
    }),
    { sessionUUID: sessionExample, turnUUID: agentKeyExample, latency },
  ),
  reply: described('TurnLatencyRecorded', 'The latency is recorded.', z.object({ sessionUUID: Uuid }), {
    sessionUUID: sessionExample,
  }),
});
