import { runService } from '@parley/service-kit';
import { dashboards } from './service';

void runService(dashboards);
