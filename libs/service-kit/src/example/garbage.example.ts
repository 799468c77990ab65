import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadConfiguration, openProcess, processEnvironment, ProcessVariables } from '../index';

setFlagsFromString('--expose-gc');
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');

const rounds = 60;
const keptARound = 5_000;
const dropped = 200_000;

const made = (item: number): number[] => [item, item + 0.5, item, item, item, item, item, item];

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

/**
 * Prints how many bytes of each dropped object are in the old generation, after others of its kind have survived minor
 * collections.
 */
async function printOldGarbage(): Promise<void> {
  const parts = await openProcess('spec', loadConfiguration(ProcessVariables, processEnvironment()));
  for (let round = 0; round < rounds; round += 1) keepSome();
  collect();
  const before = oldBytes();
  for (let item = 0; item < dropped; item += 1) made(item);
  process.stdout.write(String((oldBytes() - before) / dropped));
  await parts.close();
}

function keepSome(): number {
  const kept = Array.from({ length: keptARound }, (_, item) => made(item));
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return kept.length;
}

void printOldGarbage();
