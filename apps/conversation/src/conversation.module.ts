import { type DynamicModule, Module } from '@nestjs/common';
import { Agents } from './agents/agents';
import { AgentsController } from './agents/agents.controller';
import type { ConversationConfig } from './config';
import { Knowledge } from './knowledge/knowledge';
import { Models } from './models/models';
import { SessionLookup } from './sessions/session-lookup';
import { SessionsController } from './sessions/sessions.controller';
import { Composer } from './turns/composer';
import { Leases } from './turns/lease';
import { TurnBegin } from './turns/turn-begin';
import { TurnEnd } from './turns/turn-end';
import { TurnsController } from './turns/turns.controller';
import { TurnsService } from './turns/turns.service';

/** Root of the conversation service. */
@Module({
  controllers: [AgentsController, SessionsController, TurnsController],
  providers: [Agents, Knowledge, SessionLookup, TurnsService, TurnBegin, TurnEnd, Leases, Composer],
})
export class ConversationModule {
  static with(_config: ConversationConfig): DynamicModule {
    return { module: ConversationModule, providers: [Models] };
  }
}
