// New secrets for an installation that is set up to be tried: what `npm run keys` prints, as an object.
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export function newKeys() {
  const text = execFileSync(process.execPath, [path.join(root, 'dist/apps/all-in-one/src/keys/main.js')], { encoding: 'utf8' });
  return Object.fromEntries(text.split('\n').flatMap((line) => (line.includes('=') ? [splitOnce(line)] : [])));
}

function splitOnce(line) {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}
