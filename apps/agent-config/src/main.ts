import { runService } from '@parley/service-kit';
import { agentConfig } from './service';

void runService(agentConfig);
