import { Fault, ownerOf } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { runInCall } from '../index';
import { greet, look, misbehave, unanswered, owner, relay, busyWork } from './services';
import { Harness, type Installation } from './harness';

export function describeRequests(installation: Installation): void {
  describe('request', () => {
    let harness: Harness;
    beforeEach(() => (harness = new Harness(installation)));
    afterEach(() => harness.leave());

    it('is answered by the service that owns it', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await expect(bus.ask(greet, { name: 'Ada' })).resolves.toEqual({ text: 'Hello Ada', by: 'agent-config' });
    });

    it('is refused before it is sent if its body is invalid', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const refused = { code: 'VALIDATION_FAILED', details: [{ field: 'name' }] };
      await expect(bus.ask(greet, { name: '' })).rejects.toMatchObject(refused);
      expect(harness.workLog.seen).toEqual([]);
    });

    it('is also refused by the service if its body is invalid', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const laxer = { ...greet, request: misbehave.request.loose().partial() };
      await expect(bus.ask(laxer, {})).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'name' }] });
    });

    it('returns a fault with code, details and Retry-After', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const asked = bus.ask(misbehave, { how: 'fault' });
      await expect(asked).rejects.toBeInstanceOf(Fault);
      await expect(asked).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'taken',
        details: [{ field: 'name', message: 'name in use' }],
        retryAfterSeconds: 7,
        dependency: 'postgres',
      });
    });

    it('takes a server that a service needs and does not reach for an outage, not for a defect', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const away = { code: 'SERVICE_UNAVAILABLE', dependency: 'qdrant', retryAfterSeconds: 3 };
      await expect(bus.ask(misbehave, { how: 'away' })).rejects.toMatchObject(away);
      expect(harness.logged).toEqual([]);
    });

    it('hides the text of an unknown error in the service’s log', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const fault: unknown = await bus.ask(misbehave, { how: 'throw' }).catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: 'INTERNAL', message: 'Something failed on our side.' });
      expect(String((fault as Fault).cause)).not.toContain('hunter2');
      expect(harness.logged).toMatchObject([{ level: 'error', fields: { err: { message: 'the password is hunter2' } } }]);
    });

    it('that fails for an unknown reason is in the service’s log by its id, and names the service to its caller', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const principal = { kind: 'agt', keyId: 'k-1', orgId: 7, agentId: 12 } as const;
      const call = { requestId: 'r-1', deadlineAtMs: Date.now() + 20_000, signal: new AbortController().signal, principal };
      const asked = runInCall(call, () => bus.ask(misbehave, { how: 'throw' }));
      await expect(asked).rejects.toMatchObject({ code: 'INTERNAL', dependency: 'agent-config' });
      expect(harness.logged).toMatchObject([{ fields: { requestId: 'r-1', orgId: 7, keyId: 'k-1' } }]);
    });

    it.each(['break-contract', 'oversize'] as const)('turns an answer that does %s into INTERNAL', async (how) => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await expect(bus.ask(misbehave, { how })).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(harness.logged).toHaveLength(1);
    });

    it('refuses a body larger than a message may be', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await expect(bus.ask(greet, { name: 'x'.repeat(1024 * 1024) })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    });

    it('fails at once if no service listens', async () => {
      const bus = await harness.caller();
      const cause = { message: `nobody answers ${unanswered.subject}` };
      const absent = { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterSeconds: 1, dependency: ownerOf(unanswered), cause };
      await expect(bus.ask(unanswered, {})).rejects.toMatchObject(absent);
    });

    it('ends at its deadline on both sides', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const late = Array.from({ length: 10 }, () => bus.ask(busyWork, {}, { timeoutMs: 300 }));
      const fault = { code: 'DEADLINE_EXCEEDED', dependency: ownerOf(busyWork) };
      for (const each of late) await expect(each).rejects.toMatchObject(fault);
      const stopped = () => harness.workLog.seen.filter((line) => line.startsWith('stopped'));
      await eventually('all are stopped', () => stopped().length === late.length);
      // A cancellation would mean that the caller left, who then pays for the work.
      expect(new Set(stopped())).toEqual(new Set(['stopped: DEADLINE_EXCEEDED']));
      const lines = () => harness.logged.filter(({ message }) => message === 'A handler passed its deadline');
      await eventually('the log names each', () => lines().length === late.length);
      const fields = { subject: busyWork.subject, requestId: expect.any(String), seconds: expect.any(Number) };
      expect(lines()[0]).toMatchObject({ level: 'warn', fields });
    });

    it('stops the work when its caller disconnects', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const gone = new AbortController();
      const asked = bus.ask(busyWork, {}, { signal: gone.signal });
      await harness.workLog.has('is busy');
      gone.abort();
      await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
      await harness.workLog.has('stopped: CANCELLED');
    });

    it('stops the work as lost, and not as left by its caller, if nothing is heard of it any more', async () => {
      await harness.start('agent-config');
      const bus = await harness.callerOver(async () => {
        const transport = await installation.connect();
        const { subscribe } = transport;
        transport.subscribe = (subject, _receive, options) => subscribe.call(transport, subject, () => undefined, options);
        return transport;
      });
      await expect(bus.ask(busyWork, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await harness.workLog.has('stopped: SERVICE_UNAVAILABLE');
    });

    it('may take longer than a peer may be silent', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await expect(bus.ask(busyWork, {}, { timeoutMs: 2_600 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    });

    it('passes on the principal, request id, deadline and trace', async () => {
      await harness.start('agent-config');
      await harness.start('speech');
      const bus = await harness.caller();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const { signal } = new AbortController();
      const call = { requestId: 'req-7', principal: owner, traceparent, deadlineAtMs: Date.now() + 3_000, signal };
      const seen = await runInCall(call, () => bus.ask(relay, {}));
      expect(seen).toMatchObject({ principal: owner, requestId: 'req-7', traceparent });
      const { leftMs } = seen as { leftMs: number };
      expect(leftMs).toBeGreaterThan(1_000);
      expect(leftMs).toBeLessThanOrEqual(3_001);
    });

    it('goes to each replica of a service in turn, and to one only', async () => {
      await harness.start('agent-config', 'one');
      await harness.start('agent-config', 'two');
      const bus = await harness.caller();
      const answers = await Promise.all(Array.from({ length: 40 }, () => bus.ask(greet, { name: 'Ada' })));
      expect(new Set(answers.map(({ by }) => by))).toEqual(new Set(['one', 'two']));
      expect(harness.workLog.seen).toHaveLength(40);
    });

    it('learns of a dead replica by its silence, not at its deadline', async () => {
      const replica = await harness.start('agent-config');
      const bus = await harness.caller();
      const asked = bus.ask(busyWork, {}).catch((error: unknown) => error);
      await harness.workLog.has('is busy');
      await replica.transport.close();
      await expect(asked).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });

    it('that only reads is answered by another replica when its own dies, and may not write', async () => {
      const replica = await harness.start('agent-config', 'dying');
      const bus = await harness.caller();
      const asked = bus.ask(look, { deaf: 'dying' });
      await harness.workLog.has('looks at dying');
      await harness.start('agent-config', 'other');
      await replica.transport.close();
      await expect(asked).resolves.toEqual({ by: 'other', isHeldToReading: true });
    });

    it('that may have changed something is not repeated when its replica dies', async () => {
      const replica = await harness.start('agent-config', 'dying');
      const bus = await harness.caller();
      const asked = bus.ask(busyWork, {}).catch((error: unknown) => error);
      await harness.workLog.has('is busy at dying');
      await harness.start('agent-config', 'other');
      await replica.transport.close();
      await expect(asked).resolves.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
      expect(harness.workLog.seen).not.toContain('is busy at other');
    });

    it('that only reads is repeated within its deadline, at three replicas at most', async () => {
      const bus = await harness.caller();
      const { transport } = await harness.start('agent-config', 'dying');
      // Receives requests but never answers, like a replica that hangs.
      jest.spyOn(transport, 'publish').mockReturnValue(undefined);
      const late = bus.ask(look, { deaf: 'dying' }, { timeoutMs: 1_000 });
      await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      harness.workLog.seen.splice(0);
      await expect(bus.ask(look, { deaf: 'dying' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(harness.workLog.seen).toEqual(Array.from({ length: 3 }, () => 'looks at dying'));
    });

    it('is answered although its service is stopping', async () => {
      const replica = await harness.start('agent-config');
      const bus = await harness.caller();
      const stop = new AbortController();
      const asked = bus.ask(busyWork, {}, { timeoutMs: 1_000, signal: stop.signal }).catch((error: unknown) => error);
      const greeted = Array.from({ length: 50 }, () => bus.ask(greet, { name: 'Ada' }));
      await harness.workLog.has('greet by agent-config', 1);
      const closed = replica.close();
      await expect(Promise.all(greeted)).resolves.toHaveLength(50);
      await expect(bus.ask(greet, { name: 'late' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      stop.abort();
      await asked;
      await closed;
    });
  });
}
