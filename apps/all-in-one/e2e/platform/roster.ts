import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { passing } from '@parley/testing';
import { homeDirectory } from './platform';

const Roster = z.array(z.object({ name: z.string(), pid: z.int(), adminPort: z.int().optional(), doorPort: z.int().optional() }));

/** The processes of the cluster under test, as its supervisor writes them down. */
export function member(name: string): z.output<typeof Roster>[number] {
  const found = roster().find((one) => one.name === name);
  if (!found) throw new Error(`no ${name} in the cluster`);
  return found;
}

function roster(): z.output<typeof Roster> {
  return Roster.parse(JSON.parse(readFileSync(path.join(homeDirectory(), 'cluster.json'), 'utf8')));
}

/** Polls what can only be polled, an answer over HTTP, until it is as wished. */
export async function until<T>(ask: () => Promise<T>, isWished: (answer: T) => boolean, withinMs: number): Promise<T> {
  const giveUpAtMs = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isWished(answer)) return answer;
    if (Date.now() > giveUpAtMs) throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(answer).slice(0, 400)}`);
    await passing(50, 'an answer over HTTP can only be polled');
  }
}
