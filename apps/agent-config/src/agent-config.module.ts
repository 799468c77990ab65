import { Module } from '@nestjs/common';
import { AgentList } from './agents/agent-list';
import { AgentReader } from './agents/agent-reader';
import { AgentsController } from './agents/agents.controller';
import { AgentsService } from './agents/agents.service';
import { Drafting } from './agents/drafting';
import { KnowledgeBases } from './knowledge/knowledge-bases';
import { KnowledgeController } from './knowledge/knowledge.controller';
import { LookupLists } from './lookups/lookup-lists';
import { LookupTables } from './lookups/lookup-tables';
import { LookupsController } from './lookups/lookups.controller';
import { TimeZoneClock } from './lookups/time-zone-clock';
import { AgentPrompts } from './prompts/agent-prompts';
import { AgentHistory } from './versions/agent-history';
import { AgentVersionsController } from './versions/agent-versions.controller';
import { AgentVersions } from './versions/agent-versions.service';

/** Root of the agent service. */
@Module({
  controllers: [AgentsController, AgentVersionsController, KnowledgeController, LookupsController],
  providers: [
    AgentHistory, AgentList, AgentPrompts, AgentReader, AgentsService, AgentVersions, Drafting, KnowledgeBases, LookupLists,
    LookupTables, TimeZoneClock,
  ],
})
export class AgentConfigModule {}
