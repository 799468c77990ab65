import type { SchemaDefinition } from '@parley/database';
import { Session, Turn } from '../sessions/session.entity';
import { CreateConversation1763700000000 } from './migrations/1763700000000-create-conversation';
import { DiscardTurns1763800000000 } from './migrations/1763800000000-discard-turns';
import { FindTurnsOfOrganization1763800400000 } from './migrations/1763800400000-find-turns-of-organization';
import { TellUnansweredTurns1763800500000 } from './migrations/1763800500000-tell-unanswered-turns';
import { TellOfTurns1763900000000 } from './migrations/1763900000000-tell-of-turns';
import { KeepProviderErrors1764100000000 } from './migrations/1764100000000-keep-provider-errors';
import { MarkRetention1764400000000 } from './migrations/1764400000000-mark-retention';

/** Everything that this service keeps. */
export const conversationSchema: SchemaDefinition = {
  schema: 'conversation',
  entities: [Session, Turn],
  migrations: [
    CreateConversation1763700000000,
    DiscardTurns1763800000000,
    FindTurnsOfOrganization1763800400000,
    TellUnansweredTurns1763800500000,
    TellOfTurns1763900000000,
    KeepProviderErrors1764100000000,
    MarkRetention1764400000000,
  ],
};
