import { z } from 'zod';
import { removalIn } from '../gateway/operator-terms';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  listOf,
  OptionalDateBound,
  paging,
  RecordId,
  sessionExample,
  startAfterEnd,
  startsBeforeEnd,
  text,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { conversationOutcomes } from './sessions';
import { AnswerSource, LatencyParts, TokenUsage } from './turn-parts';
import { ConversationChannel } from './turns';

const logKey = '4e506283-1e3f-4051-8c7d-9e1f3a5b7c9d';
const usage = { promptTokens: 380, completionTokens: 32, totalTokens: 412 };

const logExample = {
  ConversationalLogKeyID: logKey,
  ConversationalLogID: 501,
  sessionUUID: sessionExample,
  AgentKeyID: agentKeyExample,
  AgentID: 12,
  AgentName: 'Maya',
  channel: 'API',
  status: 'OPEN',
  outcome: null,
  language: 'english',
  turnCount: 1,
  durationSeconds: 4,
  tokenUsage: usage,
  preview: 'When do you deliver?',
  CreatedOn: createdOnExample,
  endedOn: null,
} as const;

const ConversationLogRow = described(
  'ConversationLogRow',
  'A conversation as lists show it.',
  z.object({
    ConversationalLogKeyID: Uuid,
    ConversationalLogID: z.int(),
    sessionUUID: Uuid,
    AgentKeyID: Uuid,
    AgentID: z.int(),
    AgentName: z.string(),
    channel: ConversationChannel,
    status: z.enum(['OPEN', 'ENDED']),
    outcome: z.enum(conversationOutcomes).nullable(),
    language: z.string(),
    turnCount: z.int(),
    durationSeconds: z.int(),
    tokenUsage: TokenUsage,
    preview: z.string(),
    CreatedOn: Timestamp,
    endedOn: Timestamp.nullable(),
  }),
  logExample,
);

export const listConversationLogs = defineRequest({
  subject: 'conversation.log.list',
  request: described(
    'ConversationLogListQuery',
    'Which conversations to list. `search` searches what was said.',
    z
      .object({
        search: text(200).default(''),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        AgentID: RecordId.nullish(),
        AgentKeyID: Uuid.nullish(),
        channel: ConversationChannel.nullish(),
        outcome: z.enum(conversationOutcomes).nullish(),
        ...paging(['CreatedOn', 'endedOn', 'durationSeconds', 'turnCount', 'AgentName']),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { pageSize: 20, pageNo: 1, search: 'deliver', startDate: null, endDate: null, sortColumn: 'CreatedOn', sortOrder: 'DESC' },
  ),
  reply: listOf('ConversationLogPage', ConversationLogRow),
});

const LoggedTurn = z.object({
  turnUUID: Uuid,
  sender: z.enum(['user', 'assistant']),
  text: z.string(),
  isInterrupted: z.boolean(),
  sources: z.array(AnswerSource),
  latency: LatencyParts.nullable(),
  tokenUsage: TokenUsage.nullable(),
  at: Timestamp,
});

const LogChoice = described('ConversationLogChoice', 'One conversation.', z.object({ ConversationalLogKeyID: Uuid }), {
  ConversationalLogKeyID: logKey,
});

/** The path of a conversation's recording, for callers who may read its log; the log's `recordingUrl` points here. */
export const recordingPath = '/api/v1/external/logs/recording';

/** The recording of a conversation in the file store. NOT_FOUND if there is none, or the caller may not hear it. */
export const findRecording = defineRequest({
  subject: 'conversation.log.recording',
  onlyReads: true,
  request: LogChoice,
  reply: described('StoredRecording', 'Where a recording is in the file store.', z.object({ fileKey: z.string() }), {
    fileKey: 'recordings/7/4e506283.wav',
  }),
});

export const getConversationLog = defineRequest({
  subject: 'conversation.log.get',
  request: LogChoice,
  reply: described(
    'ConversationLog',
    'A conversation with every turn of it.',
    ConversationLogRow.extend({
      turns: z.array(LoggedTurn),
      recordingUrl: z
        .string()
        .nullable()
        .meta({ description: 'A path of this API, requested with the same key; null if there is no recording.' }),
    }),
    {
      ...logExample,
      recordingUrl: null,
      turns: [
        {
          turnUUID: sessionExample,
          sender: 'user',
          text: 'When do you deliver?',
          isInterrupted: false,
          sources: [],
          latency: null,
          tokenUsage: null,
          at: createdOnExample,
        },
      ],
    },
  ),
});

export const eraseConversation = defineRequest({
  subject: 'conversation.log.erase',
  request: LogChoice,
  reply: described(
    'ErasedConversation',
    'The conversation, whose times, outcome and counts are still listed.',
    z.object({ ConversationalLogKeyID: Uuid, ConversationalLogID: z.int() }),
    { ConversationalLogKeyID: logKey, ConversationalLogID: 501 },
  ),
});

/** What was said was erased: the number of its telephone call is erased too. */
export const conversationErased = defineEvent({
  subject: 'conversation.session.erased',
  payload: described('ConversationErased', 'What was said in a conversation was erased.', z.object({ sessionUUID: Uuid }), {
    sessionUUID: sessionExample,
  }),
});

/** For the operator's command only: conversations of an organization that is deleted. */
export const removalInConversation = removalIn('conversation');
