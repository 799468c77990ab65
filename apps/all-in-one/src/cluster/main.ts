import { runOnThisMachine } from '../on-this-machine';
import { startCluster } from './cluster';

void runOnThisMachine('parley-cluster', startCluster);
