import { runService } from '@parley/service-kit';
import { conversation } from './service';

void runService(conversation);
