import { once } from 'node:events';
import { request } from 'node:http';
import type { Asked } from '../../testing/scripted-bus';
import { keys, type RunningGateway, runGateway } from '../../testing/running-gateway';

let gateway: RunningGateway;
// Outside the tests, so that a failing test leaves no server behind.
afterEach(() => gateway.close());

/** A gateway whose service never answers, and the next question that reaches it. */
async function runSilent(): Promise<{ question: Promise<Asked> }> {
  const arrived = Promise.withResolvers<Asked>();
  gateway = await runGateway({
    reply: (asked) => {
      arrived.resolve(asked);
      return once(asked.call.signal, 'abort').then(() => Promise.reject(asked.call.signal.reason));
    },
  });
  return { question: arrived.promise };
}

test.each(['POST /api/v1/ask', 'GET /api/v1/things'])('a client that disconnects cancels the work of %s', async (route) => {
  const { question } = await runSilent();
  const [method, path] = route.split(' ');
  const key = method === 'POST' ? keys.agent : keys.owner;
  const client = request(gateway.url + path, { method, headers: { 'x-api-key': key, 'content-type': 'application/json' } });
  client.on('error', () => undefined);
  client.end(method === 'POST' ? '{"question":"?"}' : undefined);
  const { call } = await question;
  const aborted = once(call.signal, 'abort');
  client.destroy();
  await aborted;
});

test('an answered call is not cancelled when its connection closes', async () => {
  gateway = await runGateway();
  const client = request(`${gateway.url}/api/v1/things`, { agent: false, headers: { 'x-api-key': keys.owner } });
  client.end();
  const [response] = await once(client, 'response');
  response.resume();
  await once(client, 'close');
  expect(gateway.bus.asked[0]?.call.signal.aborted).toBe(false);
});
