import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  RecordId,
  sessionExample,
  SpeechLanguage,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { ConversationChannel } from './turns';
import { Variables } from './turn-parts';

export const conversationOutcomes = ['ANSWERED', 'UNANSWERED', 'TRANSFERRED', 'ABANDONED', 'FAILED'] as const;
const EndReason = z.enum([
  'ENDED_BY_USER',
  'ENDED_BY_AGENT',
  'IDLE',
  'CALL_ENDED',
  'TRANSFERRED',
  'CREDITS_EXHAUSTED',
  'MAX_DURATION',
  'FAILED',
]);

/** Makes a session before its first turn, or checks that one may go on: an unknown or foreign one is NOT_FOUND. */
export const openSession = defineRequest({
  subject: 'conversation.session.open',
  request: described(
    'OpenSessionRequest',
    'The agent, and the session to continue if there is one.',
    z.object({
      AgentKeyID: Uuid.optional(),
      sessionUUID: Uuid.optional(),
      channel: ConversationChannel.default('VOICE'),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
    }),
    { AgentKeyID: agentKeyExample, channel: 'VOICE' },
  ),
  reply: described(
    'OpenedSession',
    'A session that takes turns. It `isNew` until something was asked in it: whoever speaks for the agent greets then.',
    z.object({ sessionUUID: Uuid, AgentID: z.int(), AgentKeyID: Uuid, isNew: z.boolean() }),
    { sessionUUID: sessionExample, AgentID: 12, AgentKeyID: agentKeyExample, isNew: true },
  ),
});

export const endSession = defineRequest({
  subject: 'conversation.session.end',
  request: described(
    'EndSessionRequest',
    'The session and why it ends.',
    z.object({ sessionUUID: Uuid, reason: EndReason, recordingKey: z.string().max(300).optional() }),
    { sessionUUID: sessionExample, reason: 'ENDED_BY_USER' },
  ),
  reply: described('EndedSession', 'The session is over.', z.object({ sessionUUID: Uuid }), { sessionUUID: sessionExample }),
});

/** The conversation so far, as the specification shows it. */
export const getHistory = defineRequest({
  subject: 'conversation.session.history',
  request: described('HistoryRequest', 'One session.', z.object({ sessionUUID: Uuid }), { sessionUUID: sessionExample }),
  reply: described(
    'SessionHistory',
    'What was said, in order. `statusCode` is put before it at the door.',
    z.object({
      sessionUUID: Uuid,
      AgentID: z.int(),
      createdAt: Timestamp,
      chatHistory: z.array(z.object({ sender: z.enum(['user', 'assistant']), text: z.string() })),
    }),
    {
      sessionUUID: sessionExample,
      AgentID: 12,
      createdAt: createdOnExample,
      chatHistory: [
        { sender: 'user', text: 'When do you deliver?' },
        { sender: 'assistant', text: 'Within three working days.' },
      ],
    },
  ),
});

export const conversationEnded = defineEvent({
  subject: 'conversation.session.ended',
  payload: described(
    'ConversationEnded',
    'A conversation is over.',
    z.object({
      sessionUUID: Uuid,
      AgentID: RecordId,
      channel: ConversationChannel,
      reason: EndReason,
      outcome: z.enum(conversationOutcomes),
      startedAt: Timestamp,
      durationSeconds: z.int().min(0),
      turnCount: z.int().min(0),
      totalTokens: z.int().min(0),
    }),
    {
      sessionUUID: sessionExample,
      AgentID: 12,
      channel: 'API',
      reason: 'IDLE',
      outcome: 'ANSWERED',
      startedAt: createdOnExample,
      durationSeconds: 62,
      turnCount: 3,
      totalTokens: 1204,
    },
  ),
});
