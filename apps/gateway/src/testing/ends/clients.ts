import type { EventEmitter } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createSessionToken, Fault, saveWidget } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { formOf } from '../hostile-forms';
import { type Harness, patiently, type TestOrganization } from '../harness';
import { SocketClient } from '../socket-client';
import type { Plan, Scenario } from './scenario';

const text = 'Twenty words make a sentence that is spoken. '.repeat(8);
const audioBase64 = Buffer.alloc(64_000, 1).toString('base64');

const bodies: Partial<Record<Plan['way'], object>> = {
  ttt: { question: 'Well?' },
  chat: { question: 'Well?' },
  'chat stream': { question: 'Well?', responseMode: 'stream' },
  'chat stt': { connectionType: 'stt', audioBase64, sampleRate: 16_000 },
  'chat stt stream': { connectionType: 'stt', audioBase64, sampleRate: 16_000, responseMode: 'stream' },
  'chat tts': { question: 'Well?', connectionType: 'tts' },
  tts: { text, language: 'english' },
};

/** A fault is at the end of what a client is told. */
const saidMax = 2_000;

/** A client that follows its plan; resolves when it has left or been answered. */
export async function act(at: Door, mine: TestOrganization, scenario: Scenario): Promise<void> {
  if (scenario.plan.way.startsWith('/ws/')) await overSocket(at, mine, scenario);
  else await overHttp(at, mine, scenario);
  if (scenario.plan.end !== 'crash') scenario.left.resolve();
}

/** A gateway, and the harness it belongs to. */
interface Door {
  readonly harness: Harness;
  readonly url: string;
}

async function overHttp({ harness, url }: Door, mine: TestOrganization, scenario: Scenario): Promise<void> {
  const { plan, reached, left } = scenario;
  scenario.apiKey ??= (await harness.key(mine, plan.way === 'tts' || plan.way === 'stt' ? 'ext' : 'agt')).key;
  const key = scenario.apiKey;
  const { path, body, type } = sendingOf(plan);
  const length = Buffer.byteLength(body);
  const headers = {
    'x-api-key': key,
    'content-type': type,
    'content-length': length,
    ...(plan.isKeyed && { 'idempotency-key': scenario.idempotencyKey }),
  };
  const sending = request(url + path, { method: 'POST', headers, agent: false });
  sending.on('error', () => undefined);
  if (plan.end === 'sending')
    sending.write(Buffer.from(body).subarray(0, Math.min(plan.bytes, length - 1)), () => sending.destroy());
  else sending.end(body);
  let whole: Promise<unknown> | undefined;
  const gone = closeOf(sending).then(() => whole);
  const isCut = plan.end === 'gone' || plan.end === 'leave' || plan.end === 'stall';
  sending.on('response', (response: IncomingMessage) => {
    const { statusCode: status = 0 } = response;
    whole = closeOf(response);
    response.on('error', () => undefined);
    if (plan.end === 'stall' && status === 200) return response.pause();
    let [read, said] = [0, ''];
    response.on('data', (bytes: Buffer) => {
      read += bytes.length;
      if (plan.end === 'byte' && status === 200 && read >= plan.bytes) sending.destroy();
      said = `${said}${bytes.toString('latin1')}`.slice(-saidMax);
    });
    response.on('close', () => {
      const [, code = status === 200 ? undefined : String(status)] = /"code":"([A-Z_]+)"/.exec(said) ?? [];
      scenario.answer = { code, isWhole: response.complete };
    });
  });
  if (plan.end === 'crash') void left.promise.then(() => sending.destroy());
  if (isCut) void Promise.race([reached.promise, gone]).then(() => (sending.destroy(), left.resolve()));
  await (plan.end === 'crash' ? Promise.race([reached.promise, gone]) : gone);
}

/** Whether or not there was an error before. */
const closeOf = (of: EventEmitter): Promise<void> => new Promise((resolve) => of.once('close', resolve));

/** The request of a way that is one over HTTP. */
export function sendingOf({ way }: Pick<Plan, 'way'>): { path: string; body: string; type: string } {
  if (way === 'stt') {
    const { body, contentType } = formOf('audioFile', { language: 'english' });
    return { path: '/api/v1/stt/external', body, type: contentType };
  }
  const path = { ttt: '/api/v1/ttt', tts: '/api/v1/tts/external' }[way as string] ?? '/api/v1/external/chat';
  return { path, body: JSON.stringify(bodies[way]), type: 'application/json' };
}

const shop = 'https://shop.example';

async function socketOf({ harness, url }: Door, { way }: Plan, mine: TestOrganization): Promise<SocketClient> {
  const { owner, agent, orgId } = mine;
  if (way.startsWith('/ws/widgetchat')) {
    const widget = { name: 'Shop front', AgentKeyID: agent.AgentKeyID, allowedOrigins: [shop] };
    const { publicId } = await patiently(() => harness.bus.ask(saveWidget, widget, { principal: owner }));
    return SocketClient.open(`${url}/ws/widgetchat?widget=${publicId}`, { origin: shop });
  }
  const { key, IntegrationKeyID } = await harness.key(mine, 'agt');
  if (way === '/ws/sts') return SocketClient.open(`${url}/ws/sts`, { headers: { 'x-api-key': key } });
  const principal = { kind: 'agt', keyId: IntegrationKeyID, orgId, agentId: agent.AgentID } as const;
  const { token } = await patiently(() => harness.bus.ask(createSessionToken, {}, { principal }));
  return SocketClient.open(`${url}${way}?token=${token}`);
}

/** A session that was cut off before it began is refused, and has cost nothing. */
async function startedSession(at: Door, plan: Plan, mine: TestOrganization): Promise<SocketClient> {
  const client = await socketOf(at, plan, mine);
  const closed = client.closed.then(() => {
    if (client.count('session.ready') > 0) return;
    const told = client.frames.some((frame) => frame.type === 'error' && frame.code === 'SERVICE_UNAVAILABLE');
    throw told ? new Fault('SERVICE_UNAVAILABLE') : new Error(`refused: ${JSON.stringify(client.frames)}`);
  });
  client.send({ type: 'session.start', language: 'english' });
  await Promise.race([client.next('session.ready'), closed]);
  return client;
}

async function overSocket(at: Door, mine: TestOrganization, scenario: Scenario): Promise<void> {
  const { plan, left } = scenario;
  const client = await patiently(() => startedSession(at, plan, mine));
  let read = 0;
  client.socket.on('message', (data: Buffer) => {
    read += data.length;
    if (plan.end !== 'byte' || read < plan.bytes) return;
    scenario.hasComeToEnd = true;
    client.socket.terminate();
  });
  if (plan.way === '/ws/widgetchat typed') client.send({ type: 'text', text: 'Well?' });
  else client.sound(new Uint8Array(640));
  if (plan.end === 'crash') {
    void left.promise.then(() => client.socket.terminate());
    await over(client, scenario);
    return void noteAnswer(client, scenario);
  }
  await Promise.race([over(client, scenario), client.closed]);
  if (plan.end === 'complete') client.send({ type: 'session.end' });
  else client.socket.terminate();
  await client.closed;
}

/** Resolves when the client has nothing more to wait for. */
async function over(client: SocketClient, scenario: Scenario): Promise<void> {
  const { plan, reached } = scenario;
  const isTyped = plan.way === '/ws/widgetchat typed';
  const isAnswered = () => eventually('it is answered', () => noteAnswer(client, scenario) || isClosed(client));
  if (plan.end === 'gone' || plan.end === 'leave' || plan.end === 'stall' || plan.end === 'crash')
    return Promise.race([reached.promise, isTyped ? isAnswered() : client.closed.then(() => undefined)]);
  if (isTyped) return isAnswered();
  await reached.promise;
  if (plan.end === 'failure' || plan.end === 'lost' || plan.end === 'deadline' || plan.end === 'limit') await client.closed;
}

const isClosed = ({ socket }: SocketClient): boolean => socket.readyState === socket.CLOSED;

/** Returns whether there is an answer. */
function noteAnswer(client: SocketClient, scenario: Scenario): boolean {
  const code = client.frames.find((frame) => frame.type === 'error')?.code;
  if (code !== undefined || client.count('agent.done') > 0) scenario.answer = { code, isWhole: true };
  return scenario.answer !== undefined;
}
