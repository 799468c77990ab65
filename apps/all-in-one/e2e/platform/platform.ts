import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Demo } from '../../src/demo/demo-file';

export interface RunningPlatform {
  readonly child: ChildProcess;
  readonly home: string;
}

/** The command that starts the given form of the platform. */
export function entryOf(form: string | undefined): string[] {
  if (form === 'one-process') return ['dist/apps/all-in-one/src/main.js'];
  if (form === 'cluster') return ['dist/apps/all-in-one/src/cluster/main.js', '--replicas', 'gateway=2,speech=2'];
  throw new Error('PARLEY_JOURNEYS_ON must be one-process or cluster; `npm test` sets it');
}

export function homeDirectory(): string {
  const home = process.env['PARLEY_JOURNEYS_HOME'];
  if (!home) throw new Error('the platform was not started');
  return home;
}

export function demo(): Demo {
  return Demo.parse(JSON.parse(readFileSync(path.join(homeDirectory(), 'demo.json'), 'utf8')));
}
