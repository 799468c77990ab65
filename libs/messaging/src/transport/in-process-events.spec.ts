import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@parley/testing';
import { InProcessBroker } from './in-process';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('copies an event’s bytes, instead of keeping the larger buffer they were cut from', async () => {
  const { events } = new InProcessBroker();
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 2_000; count += 1) {
    const data = Buffer.from(JSON.stringify({ count, text: 'x'.repeat(200) }));
    await events.append({ id: randomUUID(), subject: 'events.1.team-sales.member.removed', data });
    // Other work uses the rest of the shared buffer.
    for (let taken = 0; taken < Buffer.poolSize; taken += 4_000) Buffer.from('y'.repeat(4_000 - 8));
  }
  // Buffers are freed some time after nobody references them.
  const isGivenBack = (): boolean => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before < 5_000_000;
  };
  await eventually(() => `${process.memoryUsage().arrayBuffers - before} bytes are given back`, isGivenBack);
  expect(events.deadLetters).toEqual([]);
});
