import { z } from 'zod';

/** The variables of the conversation service, on top of those that every service has. */
export const ConversationVariables = z.object({});

export type ConversationConfig = z.output<typeof ConversationVariables>;
