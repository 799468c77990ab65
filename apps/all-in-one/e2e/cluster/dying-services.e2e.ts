import { passing } from '@parley/testing';
import { get, post, request } from '../platform/client';
import { demo } from '../platform/platform';
import { member, until } from '../platform/roster';

const listAgents = () => post('/api/v1/external/agent/agent-list', { searchName: '' }, demo().workspaceKey);
const listBases = () => post('/api/v1/external/kb/kb-list', { searchName: '' }, demo().workspaceKey);

/** Requests every 50 ms, none waiting for another, while the service dies and restarts. */
function callersMeanwhile() {
  const asked = async (_: unknown, at: number) => {
    await passing(at * 50, 'callers come one after the other');
    const startedAtMs = performance.now();
    const answer = await listAgents();
    return { ...answer, tookMs: performance.now() - startedAtMs };
  };
  return Promise.all(Array.from({ length: 40 }, asked));
}

describe('a cluster whose services die', () => {
  it('answers 503 with Retry-After for the dead one at once, keeps the others working, and recovers by itself', async () => {
    const before = member('agent-config.1').pid;
    process.kill(before, 'SIGKILL');
    const startedAtMs = Date.now();
    const [answers, bases] = await Promise.all([callersMeanwhile(), listBases()]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(bases.status).toBe(200);
    await until(listAgents, ({ status }) => status === 200, 20_000);
    expect(member('agent-config.1').pid).not.toBe(before);
    expect(Date.now() - startedAtMs).toBeLessThan(20_000);
  });

  it('never makes a caller wait longer than a second for a missing service', async () => {
    process.kill(member('agent-config.1').pid, 'SIGKILL');
    const answers = await callersMeanwhile();
    const refusedMs = answers.filter(({ status }) => status === 503).map(({ tookMs }) => tookMs);
    expect(refusedMs.length).toBeGreaterThan(0);
    // A request in flight when the service died is retried after a second of silence.
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(3_500);
    expect(refusedMs.sort((one, other) => one - other)[Math.floor(refusedMs.length / 2)]).toBeLessThan(1_000);
    await until(listAgents, ({ status }) => status === 200, 20_000);
  });

  it('accepts requests at every gateway, and goes on when one dies', async () => {
    const second = `http://127.0.0.1:${member('gateway.2').doorPort}`;
    const ask = () =>
      request('/api/v1/external/agent/agent-list', { method: 'POST', body: {}, key: demo().workspaceKey, baseUrl: second });
    expect((await ask()).status).toBe(200);
    process.kill(member('gateway.2').pid, 'SIGKILL');
    expect((await listAgents()).status).toBe(200);
    const back = await until(
      () => ask().catch(() => undefined),
      (reply) => reply?.status === 200,
      20_000,
    );
    expect(back?.status).toBe(200);
  });

  it('answers 503 without NATS, and recovers by itself', async () => {
    const { adminPort } = member('gateway.1');
    const readiness = () => fetch(`http://127.0.0.1:${adminPort}/health/ready`).then(({ status }) => status);
    process.kill(member('nats').pid, 'SIGKILL');
    await until(listAgents, ({ status }) => status === 503, 5_000);
    await until(listAgents, ({ status }) => status === 200, 20_000);
    await until(readiness, (status) => status === 200, 10_000);
    expect((await get('/openapi.json')).status).toBe(200);
  });
});
