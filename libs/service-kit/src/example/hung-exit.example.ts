import { exitForCertain } from '../process/process-parts';

// Simulates native code that waits for a thread which never ends.
process.on('exit', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
exitForCertain(0, 100);
