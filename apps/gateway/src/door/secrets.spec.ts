import { Controller } from '@nestjs/common';
import {
  canHoldSecret,
  contractByName,
  examplesOf,
  hiddenSecret,
  type MessageContract,
  saveRuntimeConfig,
  schemasOf,
  secretsOf,
  setProviderKey,
  withoutSecrets,
} from '@parley/contracts';
import { Handles } from '@parley/messaging';
import { Client } from 'pg';
import { z } from 'zod';
import { handWritten } from '../api/hand-written';
import { everyRoute } from '../api/routes/route-table';
import { changesSomething, parseInput } from '../endpoint/gateway-call';
import { inEnvelope, type Endpoint } from '../endpoint/endpoint';
import { answersWithSecret, answerWithoutSecrets, inputWithoutSecrets } from '../endpoint/secrets';
import { Harness, type TestOrganization } from '../testing/harness';
import { faultOf } from './faults';

const endpoints: readonly Endpoint[] = [...everyRoute, ...handWritten];

/** Names that sound like secrets and are not, with the reason. */
const noSecrets = new Set([
  // Amounts and places, not credentials.
  'tokens',
]);
const soundsSecret =
  /^(key|token|password|secret)$|secret$|password$|apiKey$|api_key$|(access|session|widget|bearer|auth)Token$|credentials?$/i;

/** Where a schema keeps those it is made of, of whatever kind it is. */
interface Inner extends z.core.$ZodTypeDef {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
}

/** Every field of a schema by its path, with the schema of the field. */
function fieldsOf(schema: z.core.$ZodType, path: string, seen: readonly z.core.$ZodType[] = []): [string, z.core.$ZodType][] {
  if (seen.includes(schema)) return [];
  const inside = (inner: z.core.$ZodType, at = path) => fieldsOf(inner, at, [...seen, schema]);
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => [
      [`${path}.${name}`, field] satisfies [string, z.core.$ZodType],
      ...inside(field, `${path}.${name}`),
    ]);
  const { innerType, element, options = [], in: input, out } = schema._zod.def as Inner;
  return [innerType, element, ...options, input, out].flatMap((inner) => (inner ? inside(inner) : []));
}

function schemasIn(contract: MessageContract): [string, z.ZodType][] {
  return Object.entries(schemasOf(contract));
}

describe('secrets in the contracts', () => {
  it.each([...contractByName])('are marked wherever a name sounds like one: %s', (name, contract) => {
    const fields = schemasIn(contract).flatMap(([part, schema]) => fieldsOf(schema, `${name}.${part}`));
    const unmarked = fields.filter(([path, schema]) => {
      const field = path.split('.').at(-1) ?? '';
      const isUnmarked =
        schema instanceof z.ZodType &&
        !canHoldSecret(schema) &&
        !(schema instanceof z.ZodArray) &&
        (!isStructure(schema) || isRecord(schema));
      return soundsSecret.test(field) && !noSecrets.has(field) && isUnmarked;
    });
    expect(unmarked.map(([path]) => path)).toEqual([]);
  });

  it('are removed from stored bodies, in every example of every contract', () => {
    const held = [...contractByName.values()].flatMap((contract) =>
      schemasIn(contract).flatMap(([, schema]) => examplesOf(schema).map((example) => ({ schema, example }))),
    );
    const bearing = held.filter(({ schema, example }) => secretsOf(schema, example).length > 0);
    expect(bearing.length).toBeGreaterThan(8);
    for (const { schema, example } of bearing) {
      const kept = JSON.stringify(withoutSecrets(schema, example));
      for (const secret of secretsOf(schema, example)) expect(kept).not.toContain(secret);
      expect(kept).toContain(hiddenSecret);
    }
  });

  it('are removed where the contract expects a structure and receives something else', () => {
    const headers = { Tools: [{ headers: 'Authorization: Bearer hunter2' }, 'hunter2'], Unknown: { deep: 'hunter2' } };
    expect(JSON.stringify(withoutSecrets(saveRuntimeConfig.request, headers))).not.toContain('hunter2');
  });
});

/** Whether it maps names to texts, any of which may be a secret. */
function isRecord(schema: z.core.$ZodType): boolean {
  const { innerType, valueType } = schema._zod.def as Inner;
  return innerType ? isRecord(innerType) : schema instanceof z.ZodRecord && valueType instanceof z.ZodString;
}

function isStructure(schema: z.core.$ZodType): boolean {
  const { innerType } = schema._zod.def as Inner;
  return innerType
    ? isStructure(innerType)
    : [z.ZodObject, z.ZodRecord, z.ZodNumber, z.ZodBoolean].some((kind) => schema instanceof kind);
}

test('a tool’s header is secret if it says so, and its mask is no value', () => {
  const tools = (value: string, isSecret?: boolean) => ({ Tools: [{ headers: [{ name: 'x', value, isSecret }] }] });
  const { request } = saveRuntimeConfig;
  expect(secretsOf(request, tools('hunter2', true))).toEqual(['hunter2']);
  expect(secretsOf(request, tools('plain', false))).toEqual([]);
  expect(secretsOf(request, tools('plain'))).toEqual([]);
  expect(secretsOf(request, tools('••••', true))).toEqual([]);
  expect(JSON.stringify(withoutSecrets(request, tools('hunter2', true)))).not.toContain('hunter2');
});

describe('addresses that may hold a token', () => {
  const names = /^(url|baseURL|WebhookURL)$/;
  const withAddresses = (example: unknown): unknown =>
    JSON.parse(JSON.stringify(example), (field, value: unknown) =>
      names.test(field) && value ? 'https://hooks.example/services/T000/xyzzy?token=xyzzy' : value,
    );

  it.each(endpoints.filter(changesSomething).map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'are audited by their origin: %s',
    (_name, endpoint) => {
      const inputs = 'request' in endpoint.contract ? examplesOf(endpoint.contract.request).map(withAddresses) : [];
      const answers = answersIn(endpoint).map(({ example, envelope }) => {
        const answer = withAddresses(example);
        return envelope === 'data' ? { statusCode: 200, data: answer } : answer;
      });
      const kept = [
        ...inputs.map((input) => [input, inputWithoutSecrets(endpoint, input)]),
        ...answers.map((answer) => [answer, answerWithoutSecrets(endpoint, answer)]),
      ].map((pair) => pair.map((each) => JSON.stringify(each) ?? ''));
      for (const [before = '', after = ''] of kept) {
        expect(after).not.toContain('xyzzy');
        expect(after.includes('https://hooks.example/...')).toBe(before.includes('xyzzy'));
      }
    },
  );

  it('are those of tools, webhooks and servers of models', () => {
    const bearing = endpoints.filter(
      ({ contract }) =>
        'request' in contract &&
        examplesOf(contract.request).some((each) => JSON.stringify(withAddresses(each)).includes('xyzzy')),
    );
    expect(bearing.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['saveRuntimeConfig', 'saveCampaignWebhook', 'setProviderKey']),
    );
  });
});

describe('secrets at every endpoint', () => {
  const inputs = endpoints.filter(({ contract }) => 'request' in contract && canHoldSecret(contract.request));

  it.each(inputs.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'appear in no error message and no log: %s',
    (_name, endpoint) => {
      if (!('request' in endpoint.contract)) throw new TypeError('has no request');
      const { request } = endpoint.contract;
      for (const example of examplesOf(request)) {
        const kept = JSON.stringify(inputWithoutSecrets(endpoint, example));
        for (const secret of secretsOf(request, example)) expect(kept).not.toContain(secret);
      }
      const wrong = JSON.parse(JSON.stringify(examplesOf(request)[0]), (_field, value: unknown) =>
        typeof value === 'string' ? { wrong: 'hunter2' } : value,
      );
      const fault = (() => {
        try {
          return parseInput(request, wrong);
        } catch (error) {
          return faultOf(error);
        }
      })();
      expect(JSON.stringify([fault, (fault as Error).message, String((fault as Error).cause)])).not.toContain('hunter2');
    },
  );

  it('are stored with no Idempotency-Key and in no audit line, however the answer is wrapped', () => {
    const bearing = endpoints.flatMap((endpoint) =>
      answersIn(endpoint)
        .filter(({ schema, example }) => secretsOf(schema, example).length > 0)
        .map((each) => ({ endpoint, ...each })),
    );
    expect(bearing.map(({ endpoint }) => endpoint.operationId)).toEqual(
      expect.arrayContaining(['createKey', 'rotateKey', 'chat']),
    );
    for (const { endpoint, schema, example, envelope } of bearing) {
      const answer = envelope ? inEnvelope[envelope](example) : example;
      expect([endpoint.operationId, answersWithSecret(endpoint, Buffer.from(JSON.stringify(answer)))]).toEqual([
        endpoint.operationId,
        true,
      ]);
      if (!changesSomething(endpoint)) continue;
      const kept = JSON.stringify(answerWithoutSecrets(endpoint, answer));
      for (const secret of secretsOf(schema, example)) expect(kept).not.toContain(secret);
    }
  });
});

function answersIn(endpoint: Endpoint) {
  const forms = 'answers' in endpoint ? endpoint.answers : [{ schemas: [endpoint.contract.reply], envelope: endpoint.envelope }];
  return forms.flatMap(({ schemas, envelope }) =>
    schemas.flatMap((schema) => examplesOf(schema).map((example) => ({ schema, example, envelope }))),
  );
}

@Controller()
class AgentConfig {
  @Handles(setProviderKey)
  set() {
    return z.custom<z.input<typeof setProviderKey.reply>>().parse(examplesOf(setProviderKey.reply)[0]);
  }
}

describe('secrets passing through a gateway', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;
  let admin: Client;

  beforeAll(async () => {
    harness = await Harness.open(undefined, ['agent-config']);
    await harness.play('agent-config', AgentConfig);
    ({ url } = await harness.startGateway());
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    mine = harness.organization();
  });
  afterAll(async () => {
    await admin.end();
    await harness.close();
  });

  it('appear in no table, log or replayed answer', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const send = async (path: string, body: object, id: string) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': id };
      const response = await fetch(`${url}/api/v1/external${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    const made = await send('/integrations/keys', { name: 'Shop', kind: 'ext' }, 'make');
    const secret = z.object({ data: z.object({ key: z.string() }) }).parse(JSON.parse(made.text)).data.key;
    const again = await send('/integrations/keys', { name: 'Shop', kind: 'ext' }, 'make');
    expect([again.status, again.text.includes('SHOWN_ONCE')]).toEqual([409, true]);
    const set = { providerKind: 'LLM', providerID: 3, key: 'hunter2-of-the-provider' };
    expect(await send('/agent-config/provider-key/set', set, 'set')).toMatchObject({ status: 200 });
    await send('/agent-config/provider-key/set', { ...set, providerID: 'hunter2-of-the-provider' }, 'wrong');
    const tables = await Promise.all(
      ['audit_entries', 'audit_intents', 'idempotent_requests', 'integration_keys', 'outbox_events'].map((table) =>
        admin
          .query(
            `SELECT t::text, convert_from(coalesce(nullif(to_jsonb(t)->>'body', ''), '\\x')::bytea, 'UTF8') AS body FROM gateway.${table} t`,
          )
          .catch((error: unknown) => ({ rows: [(error as Error).message] })),
      ),
    );
    const kept = JSON.stringify([tables.map(({ rows }) => rows), harness.log.lines]);
    expect(kept).toContain('gateway.key.create');
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain('hunter2');
  });

  it('are not replayed to another caller with the same Idempotency-Key', async () => {
    const [owner, other] = [await harness.key(mine, 'wsk'), await harness.key(mine, 'wsk')];
    const list = (key: string) =>
      fetch(`${url}/api/v1/external/integrations/keys`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': 'the-same' },
        body: JSON.stringify({ name: 'Shop', kind: 'ext' }),
      });
    const answers = [await list(owner.key), await list(other.key)];
    expect(answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [200, null],
      [200, null],
    ]);
    const keys = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { data: { key: string } }).data.key));
    expect(keys[0]).not.toBe(keys[1]);
  });
});
