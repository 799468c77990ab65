// What the entry point of Postgres' own image does, as far as docker-compose.yml leans on it: makes the data on the first start, runs
// /docker-entrypoint-initdb.d/*.sql once, and is Postgres from then on, as the user postgres.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { statementsOf } from './roles-script.mjs';

const account = { uid: 999, gid: 999 };
const bin = '/opt/postgres/bin';
const data = '/var/lib/postgresql/18/docker';
/** Where Postgres' own programs look for it. */
const sockets = '/var/run/postgresql';
const scripts = '/docker-entrypoint-initdb.d';
const [program = 'postgres', ...options] = process.argv.slice(2);
if (program !== 'postgres') throw new Error(`this image starts postgres, not ${program}`);

mkdirSync(sockets, { recursive: true });
chownSync(sockets, account.uid, account.gid);
if (!existsSync(data)) makeData();
const server = spawn(path.join(bin, 'postgres'), ['-D', data, '-c', 'listen_addresses=*', '-k', sockets, ...options], {
  ...account,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT']) process.on(signal, () => server.kill(signal));
server.on('exit', (code, signal) => process.exit(signal ? 1 : code));

function makeData() {
  const unfinished = `${data}.unfinished`;
  const password = '/tmp/password';
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  for (const folder of ['/var/lib/postgresql', path.dirname(data), unfinished]) chownSync(folder, account.uid, account.gid);
  writeFileSync(password, secret('POSTGRES_PASSWORD'), { mode: 0o600 });
  chownSync(password, account.uid, account.gid);
  run('initdb', [
    '-D',
    unfinished,
    '-U',
    'postgres',
    '--pwfile',
    password,
    '--auth-host=scram-sha-256',
    '--auth-local=trust',
    '-E',
    'UTF8',
  ]);
  rmSync(password);
  writeFileSync(path.join(unfinished, 'pg_hba.conf'), 'local all all trust\nhost all all all scram-sha-256\n');
  // Nobody can connect before the roles are there: a server without clients runs them.
  for (const file of existsSync(scripts)
    ? readdirSync(scripts)
        .filter((name) => name.endsWith('.sql'))
        .sort()
    : [])
    run(
      'postgres',
      ['--single', '-D', unfinished, 'postgres'],
      `${statementsOf(readFileSync(path.join(scripts, file), 'utf8'), secret).join('\n')}\n`,
    );
  renameSync(unfinished, data);
}

/** What a password is: a variable, the file that it with _FILE names, or that of its name in SECRETS_DIR. */
function secret(name) {
  const folder = process.env.SECRETS_DIR;
  const file = process.env[`${name}_FILE`] ?? (folder && path.join(folder, name));
  const value = process.env[name] || (file && readFileSync(file, 'utf8').trim());
  if (!value) throw new Error(`${name} is required`);
  return value;
}

function run(name, words, input) {
  const { status, stdout, stderr } = spawnSync(path.join(bin, name), words, { ...account, input, encoding: 'utf8' });
  // A server without clients tells of failed statements and goes on.
  if (status !== 0 || /\bERROR:/.test(stdout + stderr)) throw new Error(`${name}: ${stdout}${stderr}`);
}
