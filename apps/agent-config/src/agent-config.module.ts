import { Module } from '@nestjs/common';
import { AgentList } from './agents/agent-list';
import { AgentReader } from './agents/agent-reader';
import { AgentsController } from './agents/agents.controller';
import { AgentsService } from './agents/agents.service';
import { Drafting } from './agents/drafting';
import { KnowledgeBases } from './knowledge/knowledge-bases';
import { LookupTables } from './lookups/lookup-tables';
import { AgentPrompts } from './prompts/agent-prompts';
import { AgentHistory } from './versions/agent-history';

/** Root of the agent service. */
@Module({
  controllers: [AgentsController],
  providers: [AgentHistory, AgentList, AgentPrompts, AgentReader, AgentsService, Drafting, KnowledgeBases, LookupTables],
})
export class AgentConfigModule {}
