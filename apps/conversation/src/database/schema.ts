import type { SchemaDefinition } from '@parley/database';
import { Session } from '../sessions/session.entity';
import { Turn } from '../turns/turn.entity';
import { CreateConversation1763700000000 } from './migrations/1763700000000-create-conversation';
import { DiscardTurns1763800000000 } from './migrations/1763800000000-discard-turns';
import { FindTurnsOfOrganization1763800400000 } from './migrations/1763800400000-find-turns-of-organization';

/** Everything that this service keeps. */
export const conversationSchema: SchemaDefinition = {
  schema: 'conversation',
  entities: [Session, Turn],
  migrations: [CreateConversation1763700000000, DiscardTurns1763800000000, FindTurnsOfOrganization1763800400000],
};
