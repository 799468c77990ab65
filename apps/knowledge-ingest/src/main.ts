import { runService } from '@parley/service-kit';
import { knowledgeIngest } from './service';

void runService(knowledgeIngest);
