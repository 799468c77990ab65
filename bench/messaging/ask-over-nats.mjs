// CPU time of one request over a real nats-server, with caller and service in processes of their own. node
// bench/messaging/ask-over-nats.mjs [asks] [in flight]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { findNatsServer } from '../../tools/nats-server.mjs';
import { requireTypeScript } from '../../libs/testing/jest/typescript-modules.mjs';

const asks = Number(process.argv[2] ?? 20_000);
const inFlight = Number(process.argv[3] ?? 32);
const { echo, serve } = requireTypeScript('bench/messaging/service.ts');
const { NatsTransport, TransportBus } = requireTypeScript('libs/messaging/src/index.ts');

if (process.send) await serve(process.env.BENCH_NATS_URL);
else await measure();

async function measure() {
  const store = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const args = ['--addr', '127.0.0.1', '--port', '-1', '--jetstream', '--store_dir', store];
  const nats = spawn(await findNatsServer(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await listeningAt(nats);
  const service = fork(import.meta.filename, { env: { ...process.env, BENCH_NATS_URL: url } });
  await once(service, 'message');
  const transport = await NatsTransport.connect({ servers: url, name: 'bench-caller' });
  const bus = new TransportBus(transport);
  for (const _ of [1, 2, 3]) await round(bus, service, nats);
  console.table([await round(bus, service, nats), await round(bus, service, nats), await round(bus, service, nats)]);
  bus.close();
  await transport.close();
  service.kill();
  nats.kill();
  rmSync(store, { recursive: true, force: true });
}

async function round(bus, service, nats) {
  const principal = { kind: 'wsk', keyId: 'k-1', orgId: 7, roleTypeId: 2, permissions: { agents: ['CanView', 'CanUpdate'] } };
  const latencies = [];
  const before = await usage(service, nats);
  const startedAt = performance.now();
  let left = asks;
  const worker = async () => {
    while (left-- > 0) {
      const askedAt = performance.now();
      await bus.ask(echo, { AgentID: 1, question: 'What are your opening hours?', variables: { name: 'Ada' } }, { principal });
      latencies.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await usage(service, nats);
  latencies.sort((a, b) => a - b);
  const micros = (name) => Number(((after[name] - before[name]) / asks).toFixed(1));
  const of = (share) => Number(latencies[Math.floor(latencies.length * share)].toFixed(2));
  return {
    'caller µs': micros('caller'),
    'service µs': micros('service'),
    'nats-server µs': micros('nats'),
    'asks/s': Math.round(asks / seconds),
    'p50 ms': of(0.5),
    'p99 ms': of(0.99),
  };
}

async function usage(service, nats) {
  service.send('cpu');
  const [cpu] = await once(service, 'message');
  const own = process.cpuUsage();
  const fields = readFileSync(`/proc/${nats.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  // Linux counts in hundredths of a second.
  const natsMicros = (Number(fields[11]) + Number(fields[12])) * 10_000;
  return { caller: own.user + own.system, service: cpu.user + cpu.system, nats: natsMicros };
}

async function listeningAt(nats) {
  let url;
  for await (const line of createInterface({ input: nats.stderr })) {
    const match = /Listening for client connections on (\S+)/.exec(line);
    if (match) url = `nats://${match[1]}`;
    if (line.includes('Server is ready')) return url;
  }
  throw new Error('nats-server did not start');
}
