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
  /** The public id of the widget through which visitors of the demo page talk with the agent. */
  widget: z.string(),
});
export type Demo = z.output<typeof Demo>;

/** What one start leaves to the next. Where the platform runs, and so whom the widget lets in, is found anew each time. */
const Seeded = Demo.omit({ baseUrl: true, widget: true });
export type Seeded = z.output<typeof Seeded>;

export function readSeeded(home: Home): Seeded | undefined {
  const file = home.path('demo.json');
  if (!existsSync(file)) return undefined;
  return Seeded.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
}

/** Each file whole or not at all, and for its owner's eyes only: one holds keys. The one that others wait for comes last. */
export function writeDemo(home: Home, demo: Demo): void {
  replace(home.path('demo-widget'), `${demo.widget}\n`);
  replace(home.path('demo.json'), `${JSON.stringify(demo, null, 2)}\n`);
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
