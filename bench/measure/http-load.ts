import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { z } from 'zod';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Each request has a number of its own in place of `{number}`, for what a cache would answer. */
  readonly body?: string;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Starts this many requests a second, answered or not, on at most `connections`; absent: each connection asks again after its
   * answer.
   */
  readonly perSecond?: number;
  /** API keys that take turns, where one would come to its limit before its organization does. */
  readonly keys?: readonly string[];
  /** Begins at this moment of the clock on the wall, which several loads may share. */
  readonly startAtMs?: number;
  /** Sends only in its own slices of time: those whose number has the remainder `mine` when divided by `of`. */
  readonly turn?: { readonly sliceMs: number; readonly of: number; readonly mine: number };
  /** Also says how long each answer took, and how long after the start it was asked for. */
  readonly tellsEach?: boolean;
}

const LoadResult = z.object({ requests: z.int(), failures: z.int(), p50Ms: z.number(), p99Ms: z.number() });
export type LoadResult = z.output<typeof LoadResult>;

/**
 * Keeps `connections` requests in flight, or paced ones, from a separate process pinned away from the servers if `taskset` is
 * available.
 */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const worker = path.join(__dirname, 'load-worker.js');
  const child = spawn(...pinned(1, [process.execPath, worker, JSON.stringify(load)]), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return LoadResult.parse(JSON.parse(String(line)));
}

/** The command as it must be spelled to run on one core only. */
export function pinned(core: number, [command = '', ...args]: readonly string[]): [string, string[]] {
  return process.platform === 'linux' ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
}
