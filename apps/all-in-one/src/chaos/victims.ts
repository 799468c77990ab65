import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Roster = z.array(z.object({ name: z.string(), pid: z.int().optional(), doorPort: z.int().optional() }));
/** What money passes through on its way. */
const kinds = ['gateway', 'conversation', 'agent-config', 'nats', 'postgres'] as const;
export type Victim = (typeof kinds)[number];

/** Where to read who runs as which process. */
export interface Whereabouts {
  readonly home: string;
  /** The directory of Postgres, which writes its own pid there. */
  readonly postgresData: string;
}

/** The doors of the cluster. They keep their ports when they are started again. */
export function doorsOf({ home }: Whereabouts): string[] {
  return rosterOf(home).flatMap(({ doorPort }) => (doorPort === undefined ? [] : [`http://127.0.0.1:${doorPort}`]));
}

/** Each kind once in an order of chance, then all of them again in another. */
export function* victimsInTurn(): Generator<Victim, never> {
  for (;;) {
    const left = [...kinds];
    while (left.length > 0) yield* left.splice(randomInt(left.length), 1);
  }
}

/** Ends one process of a kind, without a warning, and says which. */
export function killOne({ home, postgresData }: Whereabouts, kind: Victim): string {
  const replicas = rosterOf(home).filter(({ name }) => name === kind || name.startsWith(`${kind}.`));
  const { name, pid } = replicas[randomInt(Math.max(1, replicas.length))] ?? { name: kind, pid: postmasterIn(postgresData) };
  if (pid !== undefined) killHard(pid);
  return name;
}

function rosterOf(home: string): z.output<typeof Roster> {
  return Roster.parse(JSON.parse(readFileSync(path.join(home, 'cluster.json'), 'utf8')));
}

function postmasterIn(data: string): number | undefined {
  try {
    return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    // It is down already.
    return undefined;
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
