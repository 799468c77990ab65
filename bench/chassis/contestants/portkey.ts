import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const version = '1.15.2';
const folder = path.resolve('.cache', 'bench', `portkey-${version}`);
const entry = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** Installs Portkey's gateway in a folder of its own, once, and says how to start it. Undefined when npm cannot get it. */
export function portkeyCommand(port: number): string[] | undefined {
  if (!existsSync(entry)) install();
  return existsSync(entry) ? [process.execPath, entry, '--headless', `--port=${port}`] : undefined;
}

function install(): void {
  process.stderr.write(`bench: installing @portkey-ai/gateway@${version}, once\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@portkey-ai/gateway@${version}`], { cwd: folder, stdio: 'inherit' });
}
