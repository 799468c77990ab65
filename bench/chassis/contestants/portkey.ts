import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, startServer } from '../../measure/servers';
import type { Contestant } from '../rounds';

const version = '1.15.2';
const folder = path.resolve('.cache', 'bench', `portkey-${version}`);
const entry = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

interface Before {
  readonly name: string;
  /** The model server that Portkey forwards to. */
  readonly modelPort: number;
  readonly model: string;
  readonly question: string;
}

/** Portkey's gateway in a folder of its own, installed once. Undefined, with a message, if npm cannot install it. */
export async function portkeyContestant(
  helpers: ChildProcess[],
  { name, modelPort, model, question }: Before,
): Promise<Contestant | undefined> {
  if (!existsSync(entry)) install();
  if (!existsSync(entry)) {
    process.stderr.write('bench: Portkey could not be installed; the table goes without it\n');
    return undefined;
  }
  const port = await freePort();
  const pid = await startServer(helpers, [process.execPath, entry, '--headless', `--port=${port}`]);
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer none',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${modelPort}/v1`,
  };
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: question }] });
  const load = { url: `http://127.0.0.1:${port}/v1/chat/completions`, method: 'POST', headers, body } as const;
  return { name, load, processes: new Map([['portkey', pid]]) };
}

function install(): void {
  process.stderr.write(`bench: installing @portkey-ai/gateway@${version}, once\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@portkey-ai/gateway@${version}`], {
    cwd: folder,
    stdio: 'inherit',
  });
}
