// A primary and a streaming standby, made by Postgres' own programs as docs/operations.md tells, in front of them an address that can be
// moved, as a pooler's or a proxy's can.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const programs = ['initdb', 'postgres', 'pg_basebackup', 'pg_rewind'];

/** The folder of a Postgres with all of these programs; undefined without one. */
export function findPostgres(wanted = programs) {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const folders = [
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ];
  return folders.find((folder) => wanted.every((name) => existsSync(path.join(folder, name))));
}

/** Copies the server at one port and starts the copy at another, as its standby; resolves once that answers. */
export async function startStandby(place, { bin, port, of, password, name }) {
  const data = path.join(place.folder(name), 'data');
  const from = `host=127.0.0.1 port=${of} user=postgres application_name=${name}`;
  const words = ['-R', '-X', 'stream', '-c', 'fast', '-D', data, '-d', from];
  const copied = await place.run(path.join(bin, 'pg_basebackup'), words, { environment: { PGPASSWORD: password } });
  if (copied.code !== 0) throw new Error(`pg_basebackup: ${copied.err.slice(-600)}`);
  await place.startServer(name, { bin, data, port, password });
}

/** Makes the data of a primary that was lost those of a standby of the server at `of`, and starts it. */
export async function rewindServer(place, { bin, data, port, of, password, name }) {
  const source = `host=127.0.0.1 port=${of} user=postgres dbname=postgres application_name=${name}`;
  const words = ['-R', '-D', data, `--source-server=${source}`];
  const rewound = await place.run(path.join(bin, 'pg_rewind'), words, { environment: { PGPASSWORD: password } });
  if (rewound.code !== 0) throw new Error(`pg_rewind: ${rewound.err.slice(-600)}`);
  await place.startServer(name, { bin, data, port, password });
}

/** Ends a server and all of its processes at once, as a machine that loses its power does. */
export async function cutPower(child) {
  const { pid } = child;
  const processes = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const gone = new Promise((resolve) => child.once('close', resolve));
  for (const each of [pid, ...processes])
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  await gone;
}

/** An address before one server at a time. With `delayMs` whatever passes it takes that long. */
export class MovableAddress {
  sockets = new Set();
  isSilent = false;

  constructor(target, delayMs) {
    Object.assign(this, { target, delayMs });
  }

  static async before(target, { delayMs = 0 } = {}) {
    const address = new MovableAddress(target, delayMs);
    address.server = createServer((client) => address.relay(client)).listen(0, '127.0.0.1');
    await new Promise((resolve) => address.server.once('listening', resolve));
    address.port = address.server.address().port;
    return address;
  }

  /** Connections to the former server end, as those of a pooler do. Those that fell silent stay so: nobody is left to end them. */
  moveTo(target) {
    this.target = target;
    if (this.isSilent) this.sockets.clear();
    this.isSilent = false;
    for (const socket of this.sockets) socket.destroy();
  }

  /** From here on nothing is answered or refused, as when a machine is gone from its network. */
  fallSilent() {
    this.isSilent = true;
    for (const socket of this.sockets) socket.isSilent = true;
  }

  relay(client) {
    const server = this.isSilent ? undefined : connect(this.target, '127.0.0.1');
    const both = [client, server].filter((each) => each !== undefined);
    for (const [socket, other] of [both, both.toReversed()]) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.isSilent = this.isSilent;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => this.pass(bytes, socket, other));
      socket.on('close', () => {
        this.sockets.delete(socket);
        if (!socket.isSilent) other?.destroy();
      });
    }
  }

  async pass(bytes, from, to) {
    if (this.delayMs > 0) await delay(this.delayMs);
    if (!from.isSilent && to?.writable) to.write(bytes);
  }

  stop() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
