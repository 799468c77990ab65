import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const Found = z.object({ command: z.array(z.string()), modules: z.string(), data: z.string() }).nullable();
const startLimitMs = 20_000;
const run = promisify(execFile);

let found: z.output<typeof Found> | undefined;

/** Whether Asterisk is available; `npm test` unpacks it if possible. */
export function hasAsterisk(): boolean {
  return findAsterisk() !== null;
}

/** Each test names the modules it needs, since a module that is not loaded cannot open a port. */
interface AsteriskOptions {
  readonly modules: readonly string[];
  /** The files of its configuration folder by name, such as `extensions.conf`. */
  readonly files: Readonly<Record<string, string>>;
}

/** A real Asterisk for one test file, with its configuration in a temporary folder. */
export class TestAsterisk {
  private constructor(
    private readonly server: ChildProcess,
    private readonly home: string,
    private readonly log: readonly string[],
  ) {}

  static async start(options: AsteriskOptions): Promise<TestAsterisk> {
    const home = await mkdtemp(path.join(tmpdir(), 'parley-asterisk-'));
    await configure(home, options);
    const [program = '', ...words] = asterisk().command;
    const server = spawn(program, [...words, '-f', '-v', '-C', configurationOf(home)], { stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    const running = new TestAsterisk(server, home, log);
    try {
      await untilReady(server, log);
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /** Runs a console command and returns its output. */
  async command(line: string): Promise<string> {
    const [program = '', ...words] = asterisk().command;
    const { stdout } = await run(program, [...words, '-C', configurationOf(this.home), '-rx', line]);
    return stdout;
  }

  /** Its output so far, for a failing test. */
  get said(): string {
    return this.log.join('\n');
  }

  /** A place for recordings and sounds. */
  get folder(): string {
    return path.join(this.home, 'var');
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (server.exitCode === null && server.signalCode === null) {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

async function configure(home: string, { modules, files }: AsteriskOptions): Promise<void> {
  const at = (name: string): string => path.join(home, name);
  for (const folder of ['etc', 'var', 'run', 'log', 'spool', 'keys']) await mkdir(at(folder));
  const { modules: moduleFolder, data } = asterisk();
  const directories = {
    astetcdir: at('etc'),
    astmoddir: moduleFolder,
    astvarlibdir: at('var'),
    astdbdir: at('var'),
    astkeydir: at('keys'),
    astdatadir: data,
    astagidir: at('var'),
    astspooldir: at('spool'),
    astrundir: at('run'),
    astlogdir: at('log'),
  };
  const listed = Object.entries(directories).map(([name, place]) => `${name} => ${place}`);
  const all = {
    'asterisk.conf': `[directories]\n${listed.join('\n')}\n`,
    'modules.conf': `[modules]\nautoload=no\n${modules.map((name) => `load = ${name}.so`).join('\n')}\n`,
    'logger.conf': '[logfiles]\nconsole => notice,warning,error,verbose(3)\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(home, 'etc', name), text);
}

function configurationOf(home: string): string {
  return path.join(home, 'etc', 'asterisk.conf');
}

async function untilReady(server: ChildProcess, log: string[]): Promise<void> {
  const { stdout, stderr } = server;
  if (!stdout || !stderr) throw new Error('asterisk has no log');
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`asterisk is not ready: ${log.join('\n')}`)), startLimitMs);
    for (const input of [stdout, stderr]) {
      createInterface({ input }).on('line', (line) => {
        log.push(line);
        if (!line.includes('Asterisk Ready')) return;
        clearTimeout(timer);
        resolve();
      });
    }
    server.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`asterisk ended: ${log.join('\n')}`));
    });
  });
}

function asterisk(): NonNullable<z.output<typeof Found>> {
  const there = findAsterisk();
  if (!there) throw new Error('no Asterisk on this machine: see tools/asterisk.mjs');
  return there;
}

function findAsterisk(): z.output<typeof Found> {
  found ??= search();
  return found;
}

function search(): z.output<typeof Found> {
  const tool = pathToFileURL(path.resolve(__dirname, '../../../tools/asterisk.mjs')).href;
  // Runs in plain Node, since Jest would transform the import.
  const script = `const { findAsterisk } = await import(${JSON.stringify(tool)});
    process.stdout.write(JSON.stringify(findAsterisk() ?? null));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return Found.parse(JSON.parse(stdout));
}
