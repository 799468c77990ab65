import type { ChildProcess } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import type { RunningPlatform } from '../../measure/running-platform';
import { freePort, startServer } from '../../measure/servers';
import type { Contestant } from '../rounds';

export const bareName = 'bare Fastify → NATS → subscription';
/** The same setting as for the services of a cluster. */
const youngGeneration = '--max-semi-space-size=32';

type Floor = Pick<Contestant, 'name' | 'processes'> & { readonly url: string };

interface FloorOptions {
  readonly name?: string;
  /** The subscription asks this model. */
  readonly modelUrl?: string;
  /** Both ends commit a row for each request. */
  readonly postgresUrl?: string;
}

/** The floor of the chain. */
export async function bareChain(helpers: ChildProcess[], platform: Pick<RunningPlatform, 'members'>): Promise<Contestant> {
  const { url, ...floor } = await startFloor(helpers, platform);
  return { ...floor, load: { url, method: 'GET', headers: {} } };
}

/** The floor of a turn: the chain with a model behind it. */
export async function bareTurn(
  helpers: ChildProcess[],
  platform: Pick<RunningPlatform, 'members'>,
  options: FloorOptions & { readonly question: string },
): Promise<Contestant> {
  const { url, ...floor } = await startFloor(helpers, platform, options);
  const headers = { 'content-type': 'application/json' };
  const load: Contestant['load'] = { url, method: 'POST', headers, body: JSON.stringify({ question: options.question }) };
  return { ...floor, load };
}

/** Its broker is one of its own, of the platform's program: the platform's lets in nobody that it does not know. */
async function startFloor(
  helpers: ChildProcess[],
  { members }: Pick<RunningPlatform, 'members'>,
  { name = bareName, modelUrl, postgresUrl }: FloorOptions = {},
): Promise<Floor> {
  const natsPort = await freePort();
  const program = readlinkSync(`/proc/${members.get('nats')}/exe`);
  // It logs to standard error.
  const nats = await startServer(helpers, ['sh', '-c', `exec ${program} --addr 127.0.0.1 --port ${natsPort} 2>&1`]);
  const port = await freePort();
  const part = { natsUrl: `nats://127.0.0.1:${natsPort}`, modelUrl, postgresUrl };
  const start = (options: object): Promise<number> =>
    startServer(helpers, [
      process.execPath,
      youngGeneration,
      path.join(__dirname, 'bare-chain.js'),
      JSON.stringify({ ...part, ...options }),
    ]);
  const service = await start({});
  const gateway = await start({ port });
  const own = { gateway, nats, service };
  return { name, url: `http://127.0.0.1:${port}/`, processes: new Map(Object.entries(own)) };
}
