import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventualAnswer } from '@parley/testing';
import { z } from 'zod';
import { homeDirectory } from './platform';

const Roster = z.array(z.object({ name: z.string(), pid: z.int(), adminPort: z.int().optional(), doorPort: z.int().optional() }));

/** A process of the cluster under test, as its supervisor lists it. */
export function member(name: string): z.output<typeof Roster>[number] {
  const found = roster().find((one) => one.name === name);
  if (!found) throw new Error(`no ${name} in the cluster`);
  return found;
}

function roster(): z.output<typeof Roster> {
  return Roster.parse(JSON.parse(readFileSync(path.join(homeDirectory(), 'cluster.json'), 'utf8')));
}

const askEveryMs = 50;

/** Asks the platform until an answer is as wanted, at intervals because keys have rate limits. */
export const until = <Answer>(
  ask: () => Promise<Answer>,
  isWished: (answer: Answer) => boolean,
  patienceMs?: number,
): Promise<Answer> => eventualAnswer(ask, isWished, askEveryMs, patienceMs);
