import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Fault, memberRemoved } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { TransportEndpoint } from '../endpoint';
import { limits } from '../limits';
import { serveEvent } from '../requests/serving';
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

it('hands events that are appended together to their consumers at once, and reports the first that is not done', async () => {
  const { events } = new InProcessBroker();
  const subject = 'events.1.team-sales.member.removed';
  const open = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const given: string[] = [];
  await events.consume({ subject, group: 'spec', concurrency: 10 }, async ({ data }) => {
    const text = String(Buffer.from(data));
    given.push(text);
    await open[Number(text)]?.promise;
    return 'done';
  });
  const three = ['0', '1', '2'].map((text) => ({ id: randomUUID(), subject, data: Buffer.from(text) }));
  const appended = events.appendTogether(three);
  await eventually('all are given', () => given.length === 3);
  open[0]?.resolve();
  open[2]?.resolve();
  await expect(appended).resolves.toBe(1);
  open[1]?.resolve();
  await Promise.all(three.map((event) => events.append(event)));
  expect(given).toEqual(['0', '1', '2']);
});

describe('an event whose consumer fails', () => {
  const log = { warn: () => undefined, error: () => undefined, info: () => undefined };
  const triesMax = limits.redeliveryInProcessMs.length + 1;

  /** Consumed by a handler that fails so often with this; resolves with how often it was tried, and whether it became a dead letter. */
  async function consumed(failure: Error, failsTimes: number) {
    const broker = new InProcessBroker();
    const endpoint = new TransportEndpoint(broker.connect(), log);
    let tries = 0;
    const handler = async (): Promise<void> => {
      tries += 1;
      if (tries <= failsTimes) throw failure;
    };
    const deliver = serveEvent(endpoint, memberRemoved, 'gateway', handler);
    await broker.events.consume({ subject: memberRemoved.subject, group: 'gateway' }, deliver);
    const payload = { memberAdminID: randomUUID(), userID: 7, roleTypeID: 3, userType: 'Mobile App' };
    const envelope = {
      id: randomUUID(),
      subject: memberRemoved.subject,
      orgId: 1,
      occurredAt: new Date().toISOString(),
      payload,
    };
    const data = Buffer.from(JSON.stringify(envelope));
    await broker.events.append({ id: envelope.id, subject: memberRemoved.subject, data });
    endpoint.close();
    return { tries, isDead: broker.events.deadLetters.length > 0 };
  }

  it('becomes a dead letter after its tries', async () => {
    expect(await consumed(new Error('cannot be done'), Infinity)).toEqual({ tries: triesMax, isDead: true });
  });

  it('is tried for as long as what its consumer needs is away', async () => {
    const away = new Fault('SERVICE_UNAVAILABLE', { dependency: 'postgres' });
    expect(await consumed(away, triesMax + 1)).toEqual({ tries: triesMax + 2, isDead: false });
  });
});
