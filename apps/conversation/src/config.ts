import { duration } from '@parley/service-kit';
import { z } from 'zod';

/** The variables of the conversation service, on top of those that every service has. */
export const ConversationVariables = z.object({
  CONVERSATION_IDLE: duration().default(30 * 60_000).meta({ description: 'After how long a silence a conversation ends.', example: '30m' }),
});

export type ConversationConfig = z.output<typeof ConversationVariables>;
