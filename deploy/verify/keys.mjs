// The secrets of an installation that is set up to be tried, made as an operator makes them.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');

/** Makes them below `home`: `variables` are for .env, `folder` holds a folder of secrets for each process. */
export function newKeys(home) {
  const folder = path.join(home, 'secrets');
  const program = path.join(root, 'dist/apps/all-in-one/src/keys/main.js');
  const variables = parseEnv(execFileSync(process.execPath, [program, '--folder', folder], { encoding: 'utf8' }));
  return { variables, folder };
}

/** The secrets of one process, by their variables. */
export function secretsOf({ folder }, name) {
  const place = path.join(folder, name);
  return Object.fromEntries(
    readdirSync(place).map((variable) => [variable, readFileSync(path.join(place, variable), 'utf8').trim()]),
  );
}
