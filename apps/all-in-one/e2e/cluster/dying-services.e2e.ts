import { get, post, request } from '../platform/client';
import { demo } from '../platform/platform';
import { member, until } from '../platform/roster';

const listAgents = () => post('/api/v1/external/agent/agent-list', { searchName: '' }, demo().workspaceKey);
const listBases = () => post('/api/v1/external/kb/kb-list', { searchName: '' }, demo().workspaceKey);

describe('a cluster whose services die', () => {
  it('answers 503 with Retry-After for the dead one at once, goes on with the others, and recovers by itself', async () => {
    const before = member('agent-config.1').pid;
    process.kill(before, 'SIGKILL');
    const startedAtMs = Date.now();
    const refused = await until(listAgents, ({ status }) => status === 503, 5_000);
    expect(refused.body.code).toBe('SERVICE_UNAVAILABLE');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await listBases()).status).toBe(200);
    await until(listAgents, ({ status }) => status === 200, 20_000);
    expect(member('agent-config.1').pid).not.toBe(before);
    expect(Date.now() - startedAtMs).toBeLessThan(20_000);
  });

  it('never lets a caller wait longer than a second for a service that is not there', async () => {
    process.kill(member('agent-config.1').pid, 'SIGKILL');
    const startedAtMs = performance.now();
    const first = await until(listAgents, ({ status }) => status !== 200, 5_000);
    expect(first.status).toBe(503);
    expect(performance.now() - startedAtMs).toBeLessThan(3_500);
    const again = performance.now();
    await listAgents();
    expect(performance.now() - again).toBeLessThan(1_000);
    await until(listAgents, ({ status }) => status === 200, 20_000);
  });

  it('takes requests at every gateway, and goes on when one of them dies', async () => {
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

  it('loses NATS, answers 503 meanwhile, and is ready and working again by itself', async () => {
    const { adminPort } = member('gateway.1');
    const readiness = () => fetch(`http://127.0.0.1:${adminPort}/health/ready`).then(({ status }) => status);
    process.kill(member('nats').pid, 'SIGKILL');
    await until(listAgents, ({ status }) => status === 503, 5_000);
    await until(listAgents, ({ status }) => status === 200, 20_000);
    await until(readiness, (status) => status === 200, 10_000);
    expect((await get('/openapi.json')).status).toBe(200);
  });
});
