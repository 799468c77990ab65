import { createLogger } from '../logging/logger';
import { exitOnUncaught } from '../process/process-parts';

// Two failures that no one catches, one soon after the other, and work that would continue for ever.
exitOnUncaught(createLogger({ level: 'info', isReadable: false, writesPii: false }));
setInterval(() => undefined, 1_000);
void Promise.reject(new Error('nobody caught this'));
setImmediate(() => {
  throw new Error('nor this');
});
