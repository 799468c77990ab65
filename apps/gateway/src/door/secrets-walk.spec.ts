import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  canHoldSecret,
  Fault,
  nameOf,
  ownerOf,
  type RequestContract,
  type ServiceName,
  serviceNames,
  examplesOf,
  secretsOf,
} from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { recordOf } from '@parley/testing';
import { Client } from 'pg';
import type { z } from 'zod';
import { everyRoute } from '../api/routes/route-table';
import type { Route } from '../endpoint/endpoint';
import { Harness } from '../testing/harness';

/** Every row whose question or answer has a secret, of services that a test can play. */
const routes = everyRoute.filter(({ contract: { request, reply } }) => canHoldSecret(request) || canHoldSecret(reply));
const played = serviceNames.filter((service) => service !== 'gateway');
const spans = new InMemorySpanExporter();

/** The same value with marked secrets, which must be found nowhere afterwards. */
function planted(schema: z.ZodType, value: unknown, text: string): unknown {
  const secrets = secretsOf(schema, value);
  return JSON.parse(JSON.stringify(value), (_name, field: unknown) =>
    typeof field === 'string' && secrets.includes(field) ? text : field,
  );
}

/** Answers for one service as in the examples, with marked secrets, or fails with the question in its message. */
function playing(service: ServiceName) {
  class Played {}
  const asked = new Set<RequestContract>(routes.map(({ contract }) => contract).filter((each) => ownerOf(each) === service));
  for (const contract of asked) {
    const name = nameOf(contract);
    const value = (body: unknown, { requestId }: Call): unknown => {
      if (requestId.startsWith('broken-request')) throw new Error(`could not do ${JSON.stringify(body)}`);
      if (requestId.startsWith('refused-request')) throw new Fault('CONFLICT', { cause: new Error(JSON.stringify(body)) });
      return planted(contract.reply, examplesOf(contract.reply)[0], 'hunter2-of-an-answer');
    };
    const descriptor = { value, writable: true, configurable: true };
    Object.defineProperty(Played.prototype, name, descriptor);
    const mark = Handles(contract) as (target: object, key: string, descriptor: PropertyDescriptor) => void;
    mark(Played.prototype, name, descriptor);
  }
  return { Played, answers: asked.size };
}

describe('secrets passing through a gateway', () => {
  let harness: Harness;
  let url: string;
  let admin: Client;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(
      new TracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
    );
    harness = await Harness.open();
    for (const service of played) {
      const { Played, answers } = playing(service);
      if (answers > 0) await harness.play(service, Played);
    }
    ({ url } = await harness.startGateway());
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await harness.close();
    trace.disable();
    context.disable();
    propagation.disable();
  });

  const send = async (route: Route, body: unknown, { key, requestId }: { key: string; requestId: string }) => {
    const path = route.path.replace(/:(\w+)/g, (_all, name: string) => String((body as Record<string, unknown>)[name] ?? 'none'));
    const headers = { 'x-api-key': key, 'x-request-id': requestId, 'idempotency-key': requestId };
    const json = route.method === 'POST' && { body: JSON.stringify(body) };
    return fetch(url + path, {
      method: route.method,
      headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
      ...json,
    });
  };
  /** Every table of the gateway: none may hold a secret in clear. */
  let tables: readonly string[];
  beforeAll(async () => {
    const { rows } = await admin.query("SELECT tablename FROM pg_tables WHERE schemaname = 'gateway'");
    tables = rows.map(({ tablename }: { tablename: string }) => tablename);
    expect(tables).toEqual(
      expect.arrayContaining(['audit_entries', 'idempotent_requests', 'outbox', 'dead_events', 'entry_tokens']),
    );
  });
  /** Everything that a route leaves in tables, logs and spans. */
  const kept = async (): Promise<string> => {
    const rows: string[] = [];
    for (const table of tables) {
      const found = await admin.query(`SELECT t::text AS row FROM gateway.${table} t`);
      rows.push(...found.rows.map(({ row }: { row: string }) => decoded(row)));
    }
    const traced = spans.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    const logged = harness.log.lines.map(({ fields, ...line }) => ({ ...line, fields: inspected(fields) }));
    return JSON.stringify([rows, traced, logged]);
  };

  it('are known to include those of carriers and providers', () => {
    expect(routes.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['saveCarrierAccount', 'setProviderKey', 'saveRuntimeConfig', 'createKey', 'createSessionToken']),
    );
  });

  it.each(routes.map((route) => [route.operationId, route] as const))(
    'are in no audit line, log, refusal, trace or stored answer: %s',
    async (_name, route) => {
      const mine = harness.organization();
      const [kind = 'wsk'] = route.keys === 'public' ? [] : route.keys.toReversed();
      const { key } = await harness.key(mine, kind);
      const { request } = route.contract;
      const body = planted(request, { ...recordOf(examplesOf(request)[0] ?? {}) }, 'hunter2-of-a-question');
      const wrong = JSON.parse(JSON.stringify(body), (_field, value: unknown) =>
        value === 'hunter2-of-a-question' ? { deep: value } : value,
      );
      const refusals: string[] = [];
      const before = spans.getFinishedSpans().length;
      for (const [requestId, sent] of [
        ['answered-request', body],
        ['answered-request', body],
        ['broken-request', body],
        ['refused-request', body],
        ['mistaken-request', wrong],
      ] as const) {
        const response = await send(route, sent, { key, requestId: `${requestId}-${route.operationId}-${mine.orgId}` });
        const text = await response.text();
        if (!response.ok) refusals.push(text);
      }
      expect(spans.getFinishedSpans().length).toBeGreaterThan(before);
      expect(refusals.join()).not.toContain('hunter2');
      expect(await kept()).not.toContain('hunter2');
    },
  );

  it('would be found by this search, wherever they are', async () => {
    const { rowCount } = await admin.query(
      `UPDATE gateway.idempotent_requests SET headers = '{"canary": "of a row"}', body = convert_to('canary of bytes', 'UTF8')`,
    );
    expect(rowCount).toBeGreaterThan(0);
    trace
      .getTracer('test')
      .startSpan('a span', { attributes: { secret: 'canary of a span' } })
      .end();
    harness.log.error('A line', { secret: new Error('canary of a line') });
    const found = await kept();
    for (const part of ['of a row', 'canary of bytes', 'canary of a span', 'canary of a line']) expect(found).toContain(part);
  });
});

/** Bytes appear in a row as hexadecimal digits. */
function decoded(row: string): string {
  return row.replace(/\\\\x([0-9a-f]+)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString());
}

/** Errors with their messages and causes, which JSON omits. */
function inspected(value: unknown): string {
  if (value instanceof Error) return `${value.stack} ${inspected(value.cause)}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(inspected).join(' ');
}
