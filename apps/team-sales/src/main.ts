import { runService } from '@parley/service-kit';
import { teamSales } from './service';

void runService(teamSales);
