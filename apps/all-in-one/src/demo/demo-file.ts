import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Home } from '../home';

/** What a user needs to talk to the demo agent, and what the journeys read. */
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
  /** The public id of the widget through which visitors of the demo page talk to the agent. */
  widget: z.string(),
});
export type Demo = z.output<typeof Demo>;

/** What one start keeps for the next. The platform's address, and so the widget's origins, are determined anew each time. */
const Seeded = Demo.omit({ baseUrl: true, widget: true });
export type Seeded = z.output<typeof Seeded>;

export function readSeeded(home: Home): Seeded | undefined {
  const file = home.path('demo.json');
  if (!existsSync(file)) return undefined;
  return Seeded.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
}

/**
 * Each file is written atomically and readable only by its owner, since one holds keys. The file that others wait for is written
 * last.
 */
export function writeDemo(home: Home, demo: Demo): void {
  replace(home.path('demo-widget'), `${demo.widget}\n`);
  replace(home.path('demo.json'), `${JSON.stringify(demo, null, 2)}\n`);
}

/** An organization created on request, by its name. */
const NamedOrganization = z.object({ OrganizationName: z.string(), OrgID: z.int(), workspaceKey: z.string() });
export type NamedOrganization = z.output<typeof NamedOrganization>;

const organizationsFile = 'organizations.json';

/** The organizations of this home besides the demo's, with their keys. */
export function readOrganizations(home: Home): NamedOrganization[] {
  const file = home.path(organizationsFile);
  return existsSync(file) ? z.array(NamedOrganization).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

export function writeOrganizations(home: Home, organizations: readonly NamedOrganization[]): void {
  replace(home.path(organizationsFile), `${JSON.stringify(organizations, null, 2)}\n`);
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const startWithinMs = 120_000;

/** What a starting platform writes into its home once it is ready; throws with the end of `log` if it fails. */
export async function awaitedDemo(home: string, platform: ChildProcess, log: string): Promise<Demo> {
  const file = path.join(home, 'demo.json');
  for (const giveUpAtMs = Date.now() + startWithinMs; !existsSync(file); await delay(50)) {
    if (platform.exitCode !== null || Date.now() > giveUpAtMs) {
      throw new Error(`the platform did not start; its last words:\n${readFileSync(path.join(home, log), 'utf8').slice(-2_000)}`);
    }
  }
  return Demo.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** How every new agent is described, apart from name and template. */
export const newAgent = {
  AgentDescription: 'You are the front desk of a shop. Answer about products, prices and opening hours.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
};
