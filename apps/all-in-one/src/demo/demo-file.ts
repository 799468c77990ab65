import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Home } from '../home';

/** What a person needs to talk with the demo agent, and what the journeys read. */
export const Demo = z.object({
  baseUrl: z.string(),
  workspaceKey: z.string(),
  agentKey: z.string(),
  speechKey: z.string(),
  OrgID: z.int(),
  AgentID: z.int(),
  AgentKeyID: z.string(),
  KBID: z.int(),
  KBKeyID: z.string(),
});
export type Demo = z.output<typeof Demo>;

export function readDemo(home: Home): Demo | undefined {
  const file = home.path('demo.json');
  if (!existsSync(file)) return undefined;
  return Demo.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
}

/** Whole or not at all, and for its owner's eyes only: it holds keys. */
export function writeDemo(home: Home, demo: Demo): void {
  const file = home.path('demo.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
