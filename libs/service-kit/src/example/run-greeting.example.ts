import { runService } from '../index';
import { greetingService } from './greeting.example';

void runService(greetingService);
