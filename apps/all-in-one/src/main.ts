import { startInOneProcess } from './platform';
import { runOnThisMachine } from './on-this-machine';

void runOnThisMachine('parley', startInOneProcess);
