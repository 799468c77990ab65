import { defineService } from '@parley/service-kit';
import { DashboardsVariables } from './config';
import { DashboardsModule } from './dashboards.module';

/** Read models that are built from events. */
export const dashboards = defineService({
  name: 'dashboards',
  config: DashboardsVariables,
  module: () => DashboardsModule,
});
