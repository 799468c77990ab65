import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testDatabase } from '@parley/testing';
import { startCollector } from './collector.example';

const root = path.resolve(__dirname, '../../../..');

/** The exporter loads its sockets in a way that Jest's modules do not know, so whole processes are looked at. */
async function outputOf(script: string, environment: Record<string, string>): Promise<string> {
  const args = ['--import', `${root}/libs/testing/jest/run-typescript.mjs`, path.join(__dirname, script)];
  const env = { ADMIN_PORT: '0', PARLEY_LOG_LEVEL: 'silent', ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout;
}

async function telemetryLoadedWith(environment: Record<string, string>): Promise<string[]> {
  return JSON.parse(await outputOf('loaded-telemetry.example.ts', environment));
}

describe('telemetry', () => {
  it('loads nothing but its empty interface while there is no collector', async () => {
    expect(await telemetryLoadedWith({})).toEqual(['@opentelemetry/api']);
  });

  it('is loaded for a collector, even one that is away, without holding the process up', async () => {
    expect(await telemetryLoadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain(
      '@opentelemetry/sdk-trace',
    );
  });

  it('shows a request through door, bus, service and Postgres as one connected trace', async () => {
    const collector = await startCollector();
    const database = await testDatabase();
    const metrics = await outputOf('traced-greeting.example.ts', {
      DATABASE_URL: database.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await database.close();
    collector.close();

    const ofTrace = collector.spans.filter((span) => span.traceId === '4bf92f3577b34da6a3ce929d0e0e4736');
    const select = ofTrace.find((span) => span.name === 'postgres SELECT');
    const parentOf = (span?: { parentSpanId?: string }) => ofTrace.find(({ spanId }) => spanId === span?.parentSpanId);
    const served = parentOf(select);
    const asked = parentOf(served);
    const request = parentOf(asked);
    expect([served?.name, asked?.name, request?.name]).toEqual(['speech.greet', 'speech.greet', 'POST /greet']);
    expect(request?.parentSpanId).toBe('00f067aa0ba902b7');
    // By an entity, and as a statement that leaves with its transaction in one piece.
    expect(ofTrace.filter((span) => span.name === 'postgres SELECT' && parentOf(span) === served)).toHaveLength(2);
    expect(JSON.stringify(ofTrace)).not.toContain('Asha');
    // Each of the two durations leads to it.
    const exemplars = metrics.matchAll(/^parley_request_duration_seconds_bucket\{.*service="(\w+)".* # \{trace_id="(\w+)"\}/gm);
    expect([...exemplars].map(([, service, traceId]) => [service, traceId]).sort()).toEqual([
      ['gateway', '4bf92f3577b34da6a3ce929d0e0e4736'],
      ['speech', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ]);
    expect([...collector.resources]).toEqual([
      expect.stringMatching(/service\.name=spec service\.namespace=parley service\.instance\.id=[\da-f-]{36}/),
    ]);
  });
});
