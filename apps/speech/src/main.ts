import { runService } from '@parley/service-kit';
import { speech } from './service';

void runService(speech);
