import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const Found = z
  .object({ sipp: z.string(), baresip: z.string(), modules: z.string(), environment: z.record(z.string(), z.string()) })
  .nullable();
const ControlMessage = z.object({ event: z.boolean().optional(), type: z.string().optional(), param: z.string().optional() });
type ControlMessage = z.output<typeof ControlMessage>;

const loopback = '127.0.0.1';
const startLimitMs = 10_000;
const sippLimitMs = 60_000;

let found: z.output<typeof Found> | undefined;

/** Whether sipp and baresip are available; `npm test` unpacks them if possible. */
export function hasSipPeers(): boolean {
  return findSipPeers() !== null;
}

// Below the ephemeral range, so that a free port is not assigned to another process before it is used.
const sipPortMin = 10_000;
const sipPortMax = 20_000;

/** A port that is free for UDP and TCP, and so is the next one, on which SIP programs listen for TLS. */
export async function freeSipPort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(sipPortMin / 2, sipPortMax / 2);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const datagrams = createSocket('udp4');
  const server = createServer();
  try {
    datagrams.bind(port, loopback);
    await once(datagrams, 'listening');
    server.listen(port, loopback);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    datagrams.close();
    server.close();
  }
}

/** The result of a run of sipp. */
interface SippRun {
  readonly succeeded: number;
  readonly failed: number;
  readonly retransmissions: number;
  /** Its last screen and its errors, for failing tests. */
  readonly said: string;
}

/** Runs sipp with a built-in or given scenario, until its calls are done or a minute has passed. */
export async function runSipp(options: {
  readonly scenario: 'uac' | 'uas' | { readonly xml: string };
  readonly args: readonly string[];
  readonly started?: (stop: () => void) => void;
}): Promise<SippRun> {
  const { sipp, environment } = peers();
  const home = await mkdtemp(path.join(tmpdir(), 'parley-sipp-'));
  const { scenario } = options;
  const own = path.join(home, 'scenario.xml');
  if (typeof scenario === 'object') await writeFile(own, scenario.xml);
  const which = typeof scenario === 'object' ? ['-sf', own] : ['-sn', scenario];
  const files = [
    '-trace_err',
    '-error_file',
    path.join(home, 'errors'),
    '-trace_stat',
    '-stf',
    path.join(home, 'figures.csv'),
    '-fd',
    '1',
  ];
  const words = [...which, '-i', loopback, '-mi', loopback, '-nostdin', ...files, ...options.args];
  const child = spawn(sipp, words, { cwd: home, env: { ...process.env, ...environment }, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), sippLimitMs);
  // SIGUSR1 lets it finish its calls and write its statistics.
  options.started?.(() => void child.kill('SIGUSR1'));
  await once(child, 'exit');
  clearTimeout(timer);
  const errors = await readFile(path.join(home, 'errors'), 'utf8').catch(() => '');
  const figures = await readFile(path.join(home, 'figures.csv'), 'utf8').catch(() => '');
  await rm(home, { recursive: true, force: true });
  const [names = '', ...rows] = figures.trim().split('\n');
  const values = (rows.at(-1) ?? '').split(';');
  const figure = (name: string): number => Number(values[names.split(';').indexOf(name)] ?? Number.NaN);
  return {
    succeeded: figure('SuccessfulCall(C)'),
    failed: figure('FailedCall(C)'),
    retransmissions: figure('Retransmissions(C)'),
    said: errors.slice(0, 4000),
  };
}

/** A headless soft phone: it plays a WAV file into its calls and records what it hears. */
export class Baresip {
  private readonly events: ControlMessage[] = [];
  private rest = '';
  private wake = (): void => {};

  private constructor(
    private readonly process: ChildProcess,
    private readonly control: Socket,
    private readonly home: string,
    readonly port: number,
  ) {
    control.on('data', (bytes: Buffer) => this.read(bytes.toString()));
    control.on('error', () => {});
  }

  /** `microphone` is a WAV file at 8 kHz; `account` adds parameters such as `answermode=auto` or `auth_pass=…`. */
  static async start(options: {
    readonly microphone: string;
    readonly user?: string;
    readonly account?: string;
  }): Promise<Baresip> {
    const { baresip, modules, environment } = peers();
    const home = await mkdtemp(path.join(tmpdir(), 'parley-baresip-'));
    const port = await freeSipPort();
    const controlPort = await freeSipPort();
    const media = 30_000 + (port % 1000) * 20;
    const config = [
      `module_path ${modules}`,
      `sip_listen ${loopback}:${port}`,
      `audio_source aufile,${options.microphone}`,
      // The player discards sound, which is recorded before.
      'audio_player aubridge,nobody',
      `snd_path ${home}`,
      'ausrc_srate 8000',
      'auplay_srate 8000',
      'ausrc_channels 1',
      'auplay_channels 1',
      `rtp_ports ${media}-${media + 18}`,
      `net_interface ${loopback}`,
      `ctrl_tcp_listen ${loopback}:${controlPort}`,
      ...['g711', 'aufile', 'aubridge', 'sndfile'].map((name) => `module ${name}.so`),
      'module_tmp account.so',
      ...['menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
    ];
    const account = `<sip:${options.user ?? 'phone'}@${loopback}:${port}>;regint=0;audio_codecs=pcmu;${options.account ?? ''}`;
    await writeFile(path.join(home, 'config'), `${config.join('\n')}\n`);
    await writeFile(path.join(home, 'accounts'), `${account}\n`);
    await writeFile(path.join(home, 'contacts'), '');
    const child = spawn(baresip, ['-f', home], {
      env: { ...process.env, ...environment, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      await untilReady(child);
      const control = connect(controlPort, loopback);
      await once(control, 'connect');
      return new Baresip(child, control, home, port);
    } catch (error) {
      child.kill('SIGKILL');
      await rm(home, { recursive: true, force: true });
      throw error;
    }
  }

  /** Sends a command, such as `dial` or `hangup`. */
  command(command: string, params = ''): void {
    const text = JSON.stringify({ command, params, token: 't' });
    this.control.write(`${Buffer.byteLength(text)}:${text},`);
  }

  /** Presses keys, one after the other. */
  press(digits: string): void {
    for (const digit of digits) this.command('sndcode', digit);
  }

  /** The first event of a type, received already or next. */
  async saw(type: string): Promise<ControlMessage> {
    for (;;) {
      const event = this.events.find((candidate) => candidate.type === type);
      if (event) return event;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** What it has heard so far, as 16-bit samples. Complete once the call is over. */
  async heard(): Promise<Int16Array> {
    const file = (await readdir(this.home)).find((name) => name.endsWith('-dec.wav'));
    const bytes = file === undefined ? Buffer.alloc(0) : await readFile(path.join(this.home, file));
    const samples = bytes.subarray(44);
    return new Int16Array(samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.length - (samples.length % 2)));
  }

  async stop(): Promise<void> {
    this.control.destroy();
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const gone = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await gone;
    }
    await rm(this.home, { recursive: true, force: true });
  }

  private read(text: string): void {
    this.rest += text;
    for (let colon = this.rest.indexOf(':'); colon > 0; colon = this.rest.indexOf(':')) {
      const length = Number(this.rest.slice(0, colon));
      const end = colon + 1 + length;
      if (!Number.isFinite(length) || this.rest.length <= end) return;
      const message = ControlMessage.safeParse(JSON.parse(this.rest.slice(colon + 1, end)));
      this.rest = this.rest.slice(end + 1);
      if (message.success) this.events.push(message.data);
    }
    this.wake();
  }
}

async function untilReady(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`baresip is not ready: ${said.join('')}`)), startLimitMs);
    const hear = (bytes: Buffer): void => {
      said.push(bytes.toString());
      if (!said.join('').includes('baresip is ready')) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`baresip ended: ${said.join('')}`));
    });
  });
}

function peers(): NonNullable<z.output<typeof Found>> {
  const there = findSipPeers();
  if (!there) throw new Error('no sipp and baresip on this machine: see tools/sip-peers.mjs');
  return there;
}

function findSipPeers(): z.output<typeof Found> {
  found ??= search();
  return found;
}

function search(): z.output<typeof Found> {
  const tool = pathToFileURL(path.resolve(__dirname, '../../../tools/sip-peers.mjs')).href;
  // Runs in plain Node, since Jest would transform the import.
  const script = `const { findSipPeers } = await import(${JSON.stringify(tool)});
    process.stdout.write(JSON.stringify(findSipPeers() ?? null));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return Found.parse(JSON.parse(stdout));
}
