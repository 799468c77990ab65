// A PgBouncer in transaction mode in front of a Postgres of this machine: that on PATH, or Debian's, unpacked without root.
import { chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isProgram, unpackPackages, withDependencies } from '../../tools/debian-packages.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const unpacked = path.join(root, '.cache/pgbouncer');

/** Its program and where its libraries lie, or the reason why there is none. */
export async function findPgBouncer() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'];
  const found = folders.map((folder) => path.join(folder, 'pgbouncer')).find(isProgram);
  if (found) return { program: found, libraries: [] };
  const program = path.join(unpacked, 'usr/sbin/pgbouncer');
  const choose = (signal) => withDependencies(['pgbouncer'], signal);
  const why = isProgram(program)
    ? undefined
    : await unpackPackages({ folder: unpacked, choose, isThere: () => isProgram(program), patienceMs: 180_000 });
  return why
    ? { why }
    : { program, libraries: ['usr/lib', 'lib'].map((folder) => path.join(unpacked, folder, `${arch()}-linux-gnu`)) };
}

/** Starts it in `place` before the Postgres on one port; resolves once it answers on the other. */
export async function startPgBouncer(place, { port, behind, users }) {
  const { program, libraries } = await findPgBouncer();
  const folder = place.folder('pgbouncer');
  const file = (name, text) => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    if (place.account.uid) chownSync(path.join(folder, name), place.account.uid, place.account.gid);
    return path.join(folder, name);
  };
  const list = file('users', users.map(({ name, password }) => `"${name}" "${password}"\n`).join(''));
  const settings = file(
    'pgbouncer.ini',
    `[databases]
parley = host=127.0.0.1 port=${behind} dbname=parley
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = scram-sha-256
auth_file = ${list}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 500
unix_socket_dir =
`,
  );
  place.start('pgbouncer', program, [settings], { LD_LIBRARY_PATH: libraries.join(':') });
  await place.until('pgbouncer', () => /process up/.test(place.logs.get('pgbouncer') ?? ''));
}

function arch() {
  return process.arch === 'arm64' ? 'aarch64' : 'x86_64';
}
