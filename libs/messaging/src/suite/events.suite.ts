import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testing';
import { agentSaved } from './services';
import { Harness, type Installation } from './harness';

function savedEvent(agentId: number, id = randomUUID() as string) {
  return { id, orgId: 42, occurredAt: new Date().toISOString(), payload: { agentId } };
}

export function describeEvents(installation: Installation): void {
  describe('event', () => {
    let harness: Harness;
    beforeEach(() => (harness = new Harness(installation)));
    afterEach(() => harness.leave());

    it('reaches its consumer', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      const event = savedEvent(7);
      await bus.emit(agentSaved, event);
      await harness.workLog.has(`event ${event.id}`);
      expect(harness.workLog.events.find(({ id }) => id === event.id)).toEqual({ agentId: 7, id: event.id, attempt: 1 });
    });

    it('reaches one replica of its consumer', async () => {
      await harness.start('dashboards');
      await harness.start('dashboards');
      const bus = await harness.caller();
      const events = Array.from({ length: 20 }, (_, agentId) => savedEvent(agentId));
      await Promise.all(events.map((event) => bus.emit(agentSaved, event)));
      for (const { id } of events) await harness.workLog.has(`event ${id}`);
      expect(harness.workLog.events.filter(({ id }) => events.some((event) => event.id === id))).toHaveLength(20);
    });

    it('is received by every connected replica', async () => {
      await harness.start('dashboards');
      await harness.start('dashboards');
      const bus = await harness.caller();
      await bus.emit(agentSaved, savedEvent(21));
      await harness.workLog.has('heard of 21', 2);
    });

    it('is not stored if it is only announced', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      bus.announce(agentSaved, { orgId: 42, payload: { agentId: 22 } });
      const after = savedEvent(23);
      await bus.emit(agentSaved, after);
      await harness.workLog.has('heard of 22');
      await harness.workLog.has(`event ${after.id}`);
      expect(harness.workLog.events.map(({ agentId }) => agentId)).not.toContain(22);
    });

    it('is received at once even if another consumer is slow', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      harness.workLog.failures = 1;
      const event = savedEvent(24);
      const emitted = bus.emit(agentSaved, event);
      await harness.workLog.has('heard of 24');
      await emitted;
      await harness.workLog.has(`event ${event.id}`);
      expect(harness.workLog.seen.indexOf('heard of 24')).toBeLessThan(harness.workLog.seen.indexOf(`event ${event.id}`));
    });

    it('waits for a consumer that was away', async () => {
      const away = await harness.start('dashboards');
      await away.close();
      const bus = await harness.caller();
      const event = savedEvent(8);
      await bus.emit(agentSaved, event);
      await harness.start('dashboards');
      await harness.workLog.has(`event ${event.id}`);
    });

    it('is redelivered to a consumer that failed', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      harness.workLog.failures = 2;
      const event = savedEvent(9);
      await bus.emit(agentSaved, event);
      await harness.workLog.has(`event ${event.id}`);
      expect(harness.workLog.events.find(({ id }) => id === event.id)).toMatchObject({ attempt: 3 });
      expect(harness.workLog.seen.filter((word) => word === 'failed')).toHaveLength(2);
    });

    it('is counted until it is handled, and the count says how long it has been stuck', async () => {
      const { strategy } = await harness.start('dashboards');
      const bus = await harness.caller();
      expect(await strategy.backlog()).toEqual({ events: 0, stuckMs: 0 });
      harness.workLog.failures = 2;
      const event = savedEvent(13);
      const emitted = bus.emit(agentSaved, event);
      await harness.workLog.has('failed');
      expect(await strategy.backlog()).toMatchObject({ events: 1 });
      await harness.workLog.has('failed', 2);
      const { events, stuckMs } = await strategy.backlog();
      expect({ events, isStuck: stuckMs > 0 }).toEqual({ events: 1, isStuck: true });
      await harness.workLog.has(`event ${event.id}`);
      await emitted;
      await eventually('nothing waits', async () => (await strategy.backlog()).events === 0);
    });

    it('is delivered once if it is emitted twice', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      const event = savedEvent(10);
      const after = savedEvent(11);
      await bus.emit(agentSaved, event);
      await bus.emit(agentSaved, event);
      await bus.emit(agentSaved, after);
      await harness.workLog.has(`event ${after.id}`);
      expect(harness.workLog.events.filter(({ id }) => id === event.id)).toHaveLength(1);
    });

    it('becomes a dead letter if it does not fit its contract, without delaying others', async () => {
      await harness.start('dashboards');
      const bus = await harness.caller();
      const after = savedEvent(12);
      await bus.publish({ ...savedEvent(0), subject: agentSaved.subject, payload: { agentId: 'not a number' } });
      await bus.emit(agentSaved, after);
      await harness.workLog.has(`event ${after.id}`);
      await harness.workLog.has(`event ${after.id}`);
      expect(harness.logged.map(({ message }) => message)).toContain(
        'A consumer gave up on an event; it is kept as a dead letter',
      );
    });

    it('is refused if its payload is invalid', async () => {
      const bus = await harness.caller();
      const broken = { ...savedEvent(0), payload: { agentId: 0.5 } };
      await expect(bus.emit(agentSaved, broken)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    });
  });
}
