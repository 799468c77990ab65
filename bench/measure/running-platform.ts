import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const Demo = z.object({
  baseUrl: z.string(),
  workspaceKey: z.string(),
  agentKey: z.string(),
  speechKey: z.string(),
  AgentID: z.int(),
});
const Roster = z.array(z.object({ name: z.string(), pid: z.int() }));

export interface RunningPlatform {
  readonly pid: number;
  readonly demo: z.output<typeof Demo>;
  /** Milliseconds from the start of the command to the first answered question. */
  readonly firstAnswerMs: number;
  /** The services' processes, NATS and Postgres by name; empty in one process. */
  readonly members: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const startTimeoutMs = 300_000;

/** A directory for one benchmark's platform, deleted afterwards. */
export function benchHome(): { directory: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(directory, 0o755);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Starts one form of the platform with its command, and waits until the demo agent has answered. */
export async function startPlatform(
  command: 'start' | 'cluster',
  home: string,
  args: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningPlatform> {
  const startedAtMs = performance.now();
  rmSync(path.join(home, 'cluster.json'), { force: true });
  const child = spawn(process.execPath, [`tools/${command}.mjs`, ...args], {
    env: { ...process.env, PORT: '0', PARLEY_HOME: home, PARLEY_LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const demo = await firstAnswered(path.join(home, 'demo.json'), startedAtMs, () => child.exitCode !== null);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { pid: child.pid ?? 0, demo, firstAnswerMs: performance.now() - startedAtMs, members: membersOf(home), stop };
}

async function firstAnswered(file: string, startedAtMs: number, hasDied: () => boolean): Promise<z.output<typeof Demo>> {
  while (performance.now() - startedAtMs < startTimeoutMs) {
    if (hasDied()) throw new Error('the platform did not start; its own words stand above');
    const demo = existsSync(file) ? Demo.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
    if (demo && (await answers(demo))) return demo;
    await delay(20);
  }
  throw new Error('the platform did not answer in time');
}

async function answers({ baseUrl, agentKey }: z.output<typeof Demo>): Promise<boolean> {
  const reply = await fetch(`${baseUrl}/api/v1/ttt`, {
    method: 'POST',
    headers: { 'x-api-key': agentKey, 'content-type': 'application/json' },
    body: JSON.stringify({ question: 'When are you open?' }),
  }).catch(() => undefined);
  return reply?.status === 200;
}

function membersOf(home: string): ReadonlyMap<string, number> {
  const file = path.join(home, 'cluster.json');
  if (!existsSync(file)) return new Map();
  const roster = Roster.parse(JSON.parse(readFileSync(file, 'utf8'))).map(({ name, pid }) => [name, pid] as const);
  return new Map([...roster, ['postgres', postmasterOf(home)]]);
}

/** As recorded by Postgres itself, in the first line of its pid file. */
export function postmasterOf(home: string): number {
  return Number.parseInt(readFileSync(path.join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}
