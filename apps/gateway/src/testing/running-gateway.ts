import { defineRequest, type Principal } from '@parley/contracts';
import { loadConfiguration } from '@parley/service-kit';
import { z } from 'zod';
import { GatewayConfig } from '../config';
import type { Route } from '../endpoint/endpoint';
import type { RouteTable } from '../api/routes/route-table';
import type { Principals } from '../endpoint/gateway-call';
import { createGatewayApp } from './create-gateway-app';
import { RecordedLog } from './recorded-log';
import { ScriptedBus } from './scripted-bus';
import { SeededKeys } from './seeded-keys';

export const agentPrincipal: Principal = { kind: 'agt', keyId: 'k-agent', orgId: 7, agentId: 12 };
export const ownerPrincipal: Principal = { kind: 'wsk', keyId: 'k-owner', orgId: 7, userId: 1, roleTypeId: 1 };
export const viewerPrincipal: Principal = { kind: 'wsk', keyId: 'k-viewer', orgId: 7, userId: 2, roleTypeId: 4 };

export const keys = { agent: 'agt_00000000agent', owner: 'wsk_00000000owner', viewer: 'wsk_000000000view' };

const Question = z
  .object({ question: z.string().min(1), n: z.int().max(9).optional() })
  .meta({ examples: [{ question: 'Hello?' }] });

const askAgent = defineRequest({
  subject: 'conversation.turn.ask',
  request: Question,
  reply: z.object({ answer: z.string() }),
});
const saveThing = defineRequest({
  subject: 'agent-config.thing.save',
  request: z.object({ name: z.string().max(30), email: z.email().optional(), parts: z.array(z.int()).max(1_500).optional() }),
  reply: z.object({ id: z.int() }),
});
const listThings = defineRequest({
  subject: 'agent-config.thing.list',
  request: z.object({ pageNo: z.coerce.number().int().min(1).default(1) }),
  reply: z.object({ rows: z.array(z.string()), totalCount: z.int(), pageNo: z.int(), pageSize: z.int() }),
});
const deleteThing = defineRequest({
  subject: 'agent-config.thing.delete',
  request: z.object({ thingID: z.coerce.number().int() }),
  reply: z.object({ thingID: z.int() }),
});

const sample = { tag: 'Samples', faults: [] };
const save = { contract: saveThing, input: 'json', envelope: 'data' } as const;

/** One route of each kind. */
const sampleRows: Route[] = [
  {
    ...sample,
    method: 'POST',
    path: '/api/v1/ask',
    contract: askAgent,
    operationId: 'ask',
    summary: 'Ask',
    envelope: 'flat',
    input: 'json',
    keys: ['agt'],
    needs: 'key-kind',
  },
  {
    ...sample,
    ...save,
    method: 'POST',
    path: '/api/v1/things',
    operationId: 'save',
    summary: 'Save',
    keys: ['wsk'],
    needs: 'agents.CanUpdate',
  },
  {
    ...sample,
    method: 'GET',
    path: '/api/v1/things',
    contract: listThings,
    operationId: 'list',
    summary: 'List',
    envelope: 'list',
    input: 'query',
    keys: ['wsk'],
    needs: 'agents.CanView',
    revalidates: true,
  },
  {
    ...sample,
    method: 'DELETE',
    path: '/api/v1/things/:thingID',
    contract: deleteThing,
    operationId: 'drop',
    summary: 'Delete',
    envelope: 'data',
    input: 'query',
    keys: ['wsk'],
    needs: 'membership',
  },
  {
    ...sample,
    ...save,
    method: 'POST',
    path: '/api/v1/big',
    operationId: 'big',
    summary: 'Big',
    bodyLimitBytes: 4096,
    keys: 'public',
    needs: 'nothing',
  },
  {
    ...sample,
    ...save,
    method: 'POST',
    path: '/api/v1/form',
    operationId: 'form',
    summary: 'Form',
    input: 'form',
    keys: ['wsk'],
    needs: 'membership',
  },
];
export const sampleTable: RouteTable = { rows: sampleRows, handWritten: [] };

const answers: Record<string, unknown> = {
  'conversation.turn.ask': { answer: 'Yes.' },
  'agent-config.thing.save': { id: 5 },
  'agent-config.thing.list': { rows: ['a', 'b'], totalCount: 2, pageNo: 1, pageSize: 20 },
  'agent-config.thing.delete': { thingID: 3 },
};

const seeded = new SeededKeys({
  [keys.agent]: agentPrincipal,
  [keys.owner]: ownerPrincipal,
  [keys.viewer]: viewerPrincipal,
});

/** The secret of a test installation. */
export const testSecret = 'the-secret-of-a-test-installation';

interface Setting {
  environment?: Record<string, string>;
  reply?: ConstructorParameters<typeof ScriptedBus>[0];
  principals?: Principals;
}

/** A gateway listening on a free port. Close it at the end. */
export async function runGateway({
  environment = {},
  reply = ({ subject }) => answers[subject],
  principals = seeded,
}: Setting = {}) {
  const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret, ...environment });
  const bus = new ScriptedBus(reply);
  const logger = new RecordedLog();
  const app = await createGatewayApp(config, { bus, logger, principals, table: sampleTable });
  await app.listen(config.PORT, config.HOST);
  const url = await app.getUrl();
  return { url, port: Number(new URL(url).port), bus, log: logger.lines, app, close: () => app.close() };
}
export type RunningGateway = Awaited<ReturnType<typeof runGateway>>;

/** A POST with a JSON body, a key, or both. */
export function post(body: unknown, key?: string, headers: Record<string, string> = {}): RequestInit {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }), ...headers },
  };
}
