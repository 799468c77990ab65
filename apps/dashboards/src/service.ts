import { defineService } from '@parley/service-kit';
import { DashboardsVariables } from './config';
import { DashboardsModule } from './dashboards.module';
import { dashboardsSchema } from './database/schema';

/** Read models that are built from events. */
export const dashboards = defineService({
  name: 'dashboards',
  config: DashboardsVariables,
  database: dashboardsSchema,
  module: (config) => DashboardsModule.with(config),
});

export { dashboardsSchema } from './database/schema';
export type { FactTable } from './facts/fact-table';
export { factTables } from './facts/fact-tables';
export { openMonth } from './projection/months';
export { Rebuilding } from './rebuild/rebuilding';
