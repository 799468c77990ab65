import { once } from 'node:events';
import { connect } from 'node:net';
import { Fault } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { agentPrincipal, keys, post, type RunningGateway, runGateway } from '../../testing/running-gateway';

const open: RunningGateway[] = [];
const running = async (setting: Parameters<typeof runGateway>[0]) => {
  const gateway = await runGateway(setting);
  open.push(gateway);
  return gateway;
};
afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));

const linesOf = ({ log }: RunningGateway, message: string) => log.filter((line) => line.message === message);

it('names the missing service in the log line of a 503, and not to the client', async () => {
  const reply = () => {
    throw new Fault('SERVICE_UNAVAILABLE', { dependency: 'postgres', retryAfterSeconds: 1 });
  };
  const gateway = await running({ reply });
  const response = await fetch(`${gateway.url}/api/v1/ask`, post({ question: '?' }, keys.agent));
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('postgres');
  expect(linesOf(gateway, 'A request failed')).toMatchObject([
    { fields: { code: 'SERVICE_UNAVAILABLE', dependency: 'postgres' } },
  ]);
});

it('writes no stack where something is away, and one where the cause is not known', async () => {
  const cause = new Error('the connection was lost');
  const faults = [new Fault('SERVICE_UNAVAILABLE', { dependency: 'nats', cause }), new Fault('INTERNAL', { cause })];
  for (const fault of faults) {
    const gateway = await running({
      reply: () => {
        throw fault;
      },
    });
    await fetch(`${gateway.url}/api/v1/ask`, post({ question: '?' }, keys.agent));
    const [line] = linesOf(gateway, 'A request failed');
    expect(line?.fields).toMatchObject(fault.dependency ? { dependency: 'nats', reason: cause.message } : { error: cause });
    expect('error' in (line?.fields ?? {})).toBe(fault.dependency === undefined);
  }
});

it('takes a client that leaves in the middle of its body for one that left', async () => {
  const gateway = await running({});
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const headers = ['Host: parley', `x-api-key: ${keys.agent}`, 'Content-Type: application/json', 'Content-Length: 100'];
  socket.write(`POST /api/v1/ask HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{"question":`);
  await once(socket, 'connect');
  socket.destroy();
  await eventually('it is logged', () => linesOf(gateway, 'A request failed').length === 1);
  expect(linesOf(gateway, 'A request failed')).toMatchObject([{ level: 'debug', fields: { code: 'CANCELLED' } }]);
});

it('logs each answer if the access log is on: the route’s template, without the query', async () => {
  const gateway = await running({ environment: { ACCESS_LOG: 'true' } });
  await fetch(`${gateway.url}/api/v1/ask?name=Asha`, post({ question: '?' }, keys.agent));
  await fetch(`${gateway.url}/nowhere/Asha`);
  await eventually('a line for each of both', () => linesOf(gateway, 'Request answered').length === 2);
  const [answered, stray] = linesOf(gateway, 'Request answered');
  const { orgId, keyId } = agentPrincipal;
  expect(answered?.fields).toMatchObject({ method: 'POST', route: '/api/v1/ask', status: 200, orgId, keyId });
  expect(stray?.fields).toMatchObject({ route: 'no route', status: 404 });
  expect(JSON.stringify(gateway.log)).not.toContain('Asha');
});

it('logs none of them otherwise', async () => {
  const gateway = await running({});
  await fetch(`${gateway.url}/api/v1/ask`, post({ question: '?' }, keys.agent));
  expect(linesOf(gateway, 'Request answered')).toEqual([]);
});
