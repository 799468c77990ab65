import { runService } from '@parley/service-kit';
import { gateway } from './service';

void runService(gateway);
