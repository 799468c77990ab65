import type { ChildProcess } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import type { RunningPlatform } from '../../measure/running-platform';
import { freePort, startServer } from '../../measure/servers';
import type { Contestant } from '../rounds';

export const bareName = 'bare Fastify → NATS → subscription';
/** As the services of a cluster have it. */
const youngGeneration = '--max-semi-space-size=32';

/** The floor of the chain. Its broker is one of its own, of the platform's program: the platform's lets in nobody that it does not know. */
export async function bareChain(helpers: ChildProcess[], { members }: Pick<RunningPlatform, 'members'>): Promise<Contestant> {
  const natsPort = await freePort();
  const program = readlinkSync(`/proc/${members.get('nats')}/exe`);
  // It speaks on the other stream.
  const nats = await startServer(helpers, ['sh', '-c', `exec ${program} --addr 127.0.0.1 --port ${natsPort} 2>&1`]);
  const port = await freePort();
  const command = [
    process.execPath,
    youngGeneration,
    path.join(__dirname, 'bare-chain.js'),
    String(port),
    `nats://127.0.0.1:${natsPort}`,
  ];
  const service = await startServer(helpers, [...command, 'answering']);
  const gateway = await startServer(helpers, command);
  const load = { url: `http://127.0.0.1:${port}/`, method: 'GET', headers: {} } as const;
  return { name: bareName, load, processes: new Map(Object.entries({ gateway, nats, service })) };
}
