import { atRest } from '@parley/testing';
import { limits } from '../limits';
import { climb, count, hang } from './services';
import { Harness, type Installation, silencePassed } from './harness';

export function describeStreams(installation: Installation): void {
  describe('stream', () => {
    let harness: Harness;
    beforeEach(() => (harness = new Harness(installation)));
    afterEach(() => harness.leave());
    /** Resolves once the producer has stopped because the reader is so slow. */
    const ranAhead = () => atRest('what is produced', () => harness.workLog.produced);

    it('delivers every item in order', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const seen: number[] = [];
      for await (const { n } of bus.stream(count, { upTo: 1_000 })) seen.push(n);
      expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    });

    it('limits how far a producer is ahead of a slow reader, in items', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      let read = 0;
      for await (const { n } of bus.stream(count, { upTo: 1_000 })) {
        read = n;
        if (n % 200 === 1) await ranAhead();
        expect(harness.workLog.produced - n).toBeLessThanOrEqual(limits.windowItems + 1);
      }
      expect(read).toBe(1_000);
    });

    it('limits how far a producer is ahead of a slow reader, in bytes', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const padding = 64 * 1024;
      for await (const { n } of bus.stream(count, { upTo: 30, padding })) {
        if (n === 1) await ranAhead();
        expect((harness.workLog.produced - n) * padding).toBeLessThanOrEqual(limits.windowBytes + padding);
      }
      expect(harness.workLog.produced).toBe(30);
    });

    it('begins nothing that was announced before its reader asks for more', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const seen: string[] = [];
      for await (const { type, step } of bus.stream(climb, { steps: 5 })) {
        seen.push(`${type} ${step}`);
        if (type === 'next') expect(await ranAhead()).toBe(step - 1);
        if (seen.at(-1) === 'next 3') break;
      }
      expect(seen).toEqual(['next 1', 'done 1', 'next 2', 'done 2', 'next 3']);
      expect(await ranAhead()).toBe(2);
    });

    it('listens for its cancellation once, not for each item', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const listening = jest.spyOn(EventTarget.prototype, 'addEventListener');
      let last = 0;
      for await (const { n } of bus.stream(count, { upTo: 1_000 })) {
        last = n;
        if (n % 200 === 1) await ranAhead();
      }
      const waits = listening.mock.calls.filter(([event]) => event === 'abort').length;
      listening.mockRestore();
      expect(last).toBe(1_000);
      expect(waits).toBeLessThan(5);
    });

    it('stops its producer when the reader breaks off', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      for await (const { n } of bus.stream(count, { upTo: 1_000_000 })) if (n === 3) break;
      await harness.workLog.has('count ended');
      expect(harness.workLog.produced).toBeLessThan(1_000);
    });

    it('stops a waiting producer when the reader disconnects', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      for await (const { n } of bus.stream(hang, {})) if (n === 1) break;
      await harness.workLog.has('hang stopped');
    });

    it('delivers what came before a fault, then the fault', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const seen: number[] = [];
      const reading = (async () => {
        for await (const { n } of bus.stream(count, { upTo: 10, failAt: 4 })) seen.push(n);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(seen).toEqual([1, 2, 3]);
    });

    it('fails when its producer dies, by its silence and not at its deadline', async () => {
      const replica = await harness.start('agent-config');
      const bus = await harness.caller();
      const reading = (async () => {
        for await (const _ of bus.stream(hang, {})) harness.workLog.write('read');
      })().catch((error: unknown) => error);
      await harness.workLog.has('read');
      await replica.transport.close();
      await expect(reading).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });

    it('stops its producer when the reader dies', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const reading = (async () => {
        for await (const _ of bus.stream(hang, {})) harness.workLog.write('read');
      })().catch(() => undefined);
      await harness.workLog.has('read');
      await bus.transport.close();
      await harness.workLog.has('hang stopped');
      await reading;
    });

    it('survives a reader that pauses longer than a peer may be silent', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      let read = 0;
      for await (const { n } of bus.stream(count, { upTo: 200 })) {
        if (n === 1) await silencePassed();
        read = n;
      }
      expect(read).toBe(200);
    });

    it('fails at once if no service listens', async () => {
      const bus = await harness.caller();
      const first = bus.stream(count, { upTo: 1 })[Symbol.asyncIterator]().next();
      await expect(first).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });
  });
}
