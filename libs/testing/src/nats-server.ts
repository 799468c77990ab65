import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const startLimitMs = 10_000;

/** A nats-server with JetStream for one test file, with its own port and a temporary store. */
export class TestNats {
  private server: ChildProcess | undefined;

  private constructor(
    private readonly program: string,
    private readonly store: string,
    readonly port: number,
  ) {}

  /** The path of the server that tests start. */
  static async program(): Promise<string> {
    const tool = path.resolve(__dirname, '../../../tools/nats-server.mjs');
    // Runs in plain Node, since Jest would transform the import.
    const script = `const { findNatsServer } = await import(${JSON.stringify(pathToFileURL(tool).href)});
      process.stdout.write(await findNatsServer());`;
    const search = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([textOf(search.stdout), textOf(search.stderr)]);
    if (out === '') throw new Error(err);
    return out;
  }

  /** @param configuration Added to the server's configuration file, such as users. */
  static async start(configuration = ''): Promise<TestNats> {
    const nats = new TestNats(await TestNats.program(), await mkdtemp(path.join(tmpdir(), 'parley-nats-')), await freePort());
    await nats.restart(configuration);
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  private get configurationFile(): string {
    return path.join(this.store, 'nats.conf');
  }

  /** Kills the server as a power failure would. Its store is kept. */
  async crash(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Suspends the server, without closing connections, until `thaw`. */
  freeze(): void {
    this.server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.server?.kill('SIGCONT');
  }

  /** Starts the server again on the same port and store, with another configuration if one is given. */
  async restart(configuration?: string): Promise<void> {
    if (configuration !== undefined) await writeFile(this.configurationFile, configuration);
    const place = ['--addr', '127.0.0.1', '--port', String(this.port), '--jetstream', '--store_dir', this.store];
    const args = ['--config', this.configurationFile, ...place];
    const server = spawn(this.program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.server = server;
    await untilReady(server);
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.end('SIGKILL');
    await rm(this.store, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (!server.stderr) throw new Error('nats-server has no log');
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nats-server is not ready: ${said.join('\n')}`)), startLimitMs);
    const lines = createInterface({ input: server.stderr ?? process.stdin });
    lines.on('line', (line) => {
      said.push(line);
      if (!line.includes('Server is ready')) return;
      clearTimeout(timer);
      resolve();
    });
    server.once('exit', () => reject(new Error(`nats-server ended: ${said.join('\n')}`)));
  });
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

// The port is chosen here, so that a restarted server gets the same one.
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
