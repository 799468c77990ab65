import { runService } from '../index';
import { doorService } from './greeting.example';

void runService(doorService);
