import { eventually } from '@parley/testing';
import { get, post, request } from '../platform/client';
import { demo } from '../platform/platform';
import { member, until } from '../platform/roster';

const listAgents = () => post('/api/v1/external/agent/agent-list', { searchName: '' }, demo().workspaceKey);
const listBases = () => post('/api/v1/external/kb/kb-list', { searchName: '' }, demo().workspaceKey);

type Asked = Awaited<ReturnType<typeof listAgents>> & { readonly tookMs: number };
/** Keys have rate limits. */
const askEveryMs = 200;

/** Four callers who keep asking while the service dies, until its successor answers. */
async function callersUntil(isSuccessorThere: () => boolean): Promise<Asked[]> {
  const answers: Asked[] = [];
  const isBack = async (): Promise<boolean> => {
    const startedAtMs = performance.now();
    const answer = await listAgents();
    answers.push({ ...answer, tookMs: performance.now() - startedAtMs });
    return answer.status === 200 && isSuccessorThere();
  };
  const callers = Array.from({ length: 4 }, () => eventually('its successor answers', isBack, undefined, askEveryMs));
  await Promise.all(callers);
  return answers;
}

describe('a cluster whose services die', () => {
  it('refuses with nothing but 503 and Retry-After for the dead one, keeps the others working, and recovers by itself', async () => {
    const before = member('agent-config.1').pid;
    process.kill(before, 'SIGKILL');
    // Read-only requests are retried, so after a quick restart none may be refused.
    const isSuccessorThere = () => member('agent-config.1').pid !== before;
    const [answers, bases] = await Promise.all([callersUntil(isSuccessorThere), listBases()]);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(bases.status).toBe(200);
    // Refusals are immediate; requests in progress are retried after a second of silence.
    const longest = Math.max(...answers.map(({ tookMs }) => tookMs)).toFixed(0);
    process.stdout.write(`${refused.length} of ${answers.length} were refused, and nobody waited longer than ${longest} ms\n`);
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
    );
    expect(back?.status).toBe(200);
  });

  it('answers 503 without NATS, and recovers by itself', async () => {
    const { adminPort } = member('gateway.1');
    const readiness = () => fetch(`http://127.0.0.1:${adminPort}/health/ready`).then(({ status }) => status);
    process.kill(member('nats').pid, 'SIGKILL');
    await until(listAgents, ({ status }) => status === 503);
    await until(listAgents, ({ status }) => status === 200);
    await until(readiness, (status) => status === 200);
    expect((await get('/openapi.json')).status).toBe(200);
  });
});
