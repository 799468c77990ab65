import { getHeapStatistics } from 'node:v8';
import { giveBackMemoryOnce } from '../process/process-parts';

const made = 500_000;

const heapBytes = (): number => getHeapStatistics().total_heap_size;

/** The size of the heap while much is in use. */
function makeGarbage(): number {
  const used = Array.from({ length: made }, (_, item) => [item, item + 0.5, String(item)]);
  return used.length > 0 ? heapBytes() : 0;
}

/** Prints which share of its heap a process keeps after giving back its memory. */
async function printKeptShare(): Promise<void> {
  const giveBack = giveBackMemoryOnce();
  const most = makeGarbage();
  await giveBack();
  process.stdout.write(String(heapBytes() / most));
}

void printKeptShare();
