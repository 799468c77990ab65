import { startInOneProcess } from './one-process';
import { runOnThisMachine } from './on-this-machine';

void runOnThisMachine('parley', startInOneProcess);
