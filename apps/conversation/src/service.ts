import { defineService } from '@parley/service-kit';
import { ConversationVariables } from './config';
import { ConversationModule } from './conversation.module';
import { conversationSchema } from './database/schema';

/** Everything that is text: sessions, turns, memory and their logs. */
export const conversation = defineService({
  name: 'conversation',
  config: ConversationVariables,
  database: conversationSchema,
  module: (config) => ConversationModule.with(config),
});
