import type { ChildProcess } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import type { RunningPlatform } from '../../measure/running-platform';
import { freePort, startServer } from '../../measure/servers';
import type { Contestant } from '../rounds';

export const bareName = 'bare Fastify → NATS → subscription';
/** The same setting as for the services of a cluster. */
const youngGeneration = '--max-semi-space-size=32';

/**
 * The lower bound for the chain. It has its own broker, running the platform's program: the platform's broker admits only users
 * it knows.
 */
export async function bareChain(helpers: ChildProcess[], { members }: Pick<RunningPlatform, 'members'>): Promise<Contestant> {
  const natsPort = await freePort();
  const program = readlinkSync(`/proc/${members.get('nats')}/exe`);
  // It logs to standard error.
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
