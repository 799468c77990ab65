import { runService } from '@parley/service-kit';
import { telephonyBridge } from './service';

void runService(telephonyBridge);
