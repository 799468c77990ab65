import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const packages = ['@livekit/agents@1.9.0', '@livekit/agents-plugin-silero@1.9.0', '@livekit/rtc-node@0.13.35', 'zod@4.6.7'];
const folder = path.resolve('.cache', 'bench', 'livekit-agents-1.9.0');

/** The peer in a folder of its own, installed once. Undefined, with a message, if npm cannot install it. */
export function livekitFolder(): string | undefined {
  const entry = path.join(folder, 'node_modules/@livekit/agents-plugin-silero/package.json');
  if (!existsSync(entry)) {
    process.stderr.write('bench: installing livekit agents-js, once\n');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder, stdio: 'inherit' });
  }
  if (existsSync(entry)) return folder;
  process.stderr.write('bench: livekit agents-js could not be installed; the table goes without it\n');
  return undefined;
}
