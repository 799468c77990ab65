import { defineService } from '@parley/service-kit';
import { TeamSalesVariables } from './config';
import { teamSchema } from './database/schema';
import { TeamSalesModule } from './team-sales.module';

/** Organizations, members, invites, roles and devices; representatives, contacts and targets. */
export const teamSales = defineService({
  name: 'team-sales',
  config: TeamSalesVariables,
  database: teamSchema,
  module: (config) => TeamSalesModule.with(config),
});
