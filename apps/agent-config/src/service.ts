import { defineService } from '@parley/service-kit';
import { AgentConfigModule } from './agent-config.module';
import { AgentConfigVariables } from './config';
import { agentsSchema } from './database/schema';

/** Agents, their versions, templates, runtime configuration and providers. */
export const agentConfig = defineService({
  name: 'agent-config',
  config: AgentConfigVariables,
  database: agentsSchema,
  module: (config) => AgentConfigModule.with(config),
});
