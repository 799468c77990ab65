import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { z } from 'zod';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** `{number}` is replaced by a number unique to the request, so that no cache can answer. */
  readonly body?: string;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Starts this many requests a second, answered or not, on at most `connections`; if absent, each connection sends its next
   * request after an answer.
   */
  readonly perSecond?: number;
  /** API keys used in turn, for when one would reach its limit before its organization does. */
  readonly keys?: readonly string[];
  /** Starts at this wall-clock time, which several loads may share. */
  readonly startAtMs?: number;
  /** Sends only in its own time slices: those whose number modulo `of` is `mine`. */
  readonly turn?: { readonly sliceMs: number; readonly of: number; readonly mine: number };
  /** Also reports how long each answer took, and how long after the start it was requested. */
  readonly tellsEach?: boolean;
}

const LoadResult = z.object({ requests: z.int(), failures: z.int(), p50Ms: z.number(), p99Ms: z.number() });
export type LoadResult = z.output<typeof LoadResult>;

/**
 * Keeps `connections` requests in flight, or sends at a fixed pace, from a separate process pinned away from the servers if
 * `taskset` is available.
 */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const worker = path.join(__dirname, 'load-worker.js');
  const child = spawn(...pinned(1, [process.execPath, worker, JSON.stringify(load)]), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return LoadResult.parse(JSON.parse(String(line)));
}

/** The command that runs another on one core only. */
export function pinned(core: number, [command = '', ...args]: readonly string[]): [string, string[]] {
  return process.platform === 'linux' ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
}
