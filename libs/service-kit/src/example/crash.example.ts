import { createLogger } from '../logging/logger';
import { exitOnUncaught } from '../process/process-parts';

// Two uncaught failures in quick succession, and work that would run forever.
exitOnUncaught(createLogger({ level: 'info', isReadable: false, writesPii: false }));
setInterval(() => undefined, 1_000);
void Promise.reject(new Error('nobody caught this'));
setImmediate(() => {
  throw new Error('nor this');
});
