// One Postgres for a whole Jest run, owned by the process that outlives all workers. It starts when the first test
// asks for it, over a loopback port whose address the workers inherit; a run without such a test never pays.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requireTypeScript } from './typescript-modules.mjs';

let home;
let starting;
let door;

/** Opens the door that `postgresForTests` knocks at. */
export async function offerPostgres() {
  const secret = randomUUID();
  door = createServer(async (request, response) => {
    // Asked once by each test file: a connection kept meanwhile may be closed just as the next one asks.
    response.setHeader('connection', 'close');
    if (request.url !== `/${secret}`) return response.writeHead(404).end();
    try {
      starting ??= start();
      const { url, adminUrl } = await starting;
      response.end(JSON.stringify({ url, adminUrl }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  door.unref();
  process.env.PARLEY_TEST_POSTGRES = `http://127.0.0.1:${door.address().port}/${secret}`;
}

/** Stops the server and leaves nothing behind. */
export async function stopPostgres() {
  door?.close();
  door?.closeAllConnections();
  const postgres = await starting?.catch(() => undefined);
  await postgres?.stop();
  if (home) await rm(home, { recursive: true, force: true });
}

async function start() {
  home = await mkdtemp(path.join(tmpdir(), 'parley-tests-'));
  // Started by root, Postgres runs as another account, which has to reach its folder.
  await chmod(home, 0o711);
  const { startEmbeddedPostgres } = requireTypeScript('libs/database/src/embedded/embedded-postgres.ts');
  return await startEmbeddedPostgres({ home, durability: 'throwaway' });
}
