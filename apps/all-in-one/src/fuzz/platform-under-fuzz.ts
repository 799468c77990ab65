import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processEnvironment } from '@parley/service-kit';
import { z } from 'zod';
import { awaitedDemo } from '../demo/demo-file';
import { freePort } from '../config';
import type { FuzzTarget } from './fuzz-keys';

const Answer = z.object({ id: z.int(), result: z.object({ result: z.object({ value: z.string() }).optional() }) });
const Usage = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() });

const Snapshot = z.object({ id: z.int().optional(), params: z.object({ chunk: z.string() }).optional() });

const Target = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);

const collections = 4;
const betweenCollectionsMs = 250;

const unlimited = { limit: 10_000_000, windowSeconds: 60 };
const classes = ['read', 'write', 'chat', 'speech', 'upload', 'ws-connect'];
const quotas = Object.fromEntries(classes.map((name) => [name, unlimited]));

/** The platform in a process of its own, with its rate limits raised out of the way, or somebody's installation. */
export interface PlatformUnderFuzz {
  readonly target: FuzzTarget;
  /** Absent if it runs elsewhere. */
  readonly heap?: LiveHeap;
  hasDied(): boolean;
  stop(): Promise<void>;
}

/** Starts it in a home of its own, with an inspector. */
export async function startUnderFuzz(home: string): Promise<PlatformUnderFuzz> {
  const inspectorPort = await freePort();
  const settings = {
    PARLEY_HOME: home,
    PORT: '0',
    FAILED_KEYS_PER_MINUTE: '1000000',
    RATE_LIMIT_PLANS: JSON.stringify({ standard: { key: quotas, organization: quotas } }),
  };
  const entry = path.resolve(__dirname, '../main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', `--inspect=127.0.0.1:${inspectorPort}`, entry], {
    env: { ...processEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(path.join(home, 'fuzz.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const demo = await awaitedDemo(home, child, 'fuzz.log');
  const heap = await LiveHeap.of(inspectorPort);
  const stop = async (): Promise<void> => {
    heap.close();
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { target: demo, heap, hasDied: () => child.exitCode !== null || child.signalCode !== null, stop };
}

/** A process's heap after garbage collection, read through its inspector. */
class LiveHeap {
  private constructor(private readonly socket: WebSocket) {}

  static async of(inspectorPort: number): Promise<LiveHeap> {
    const [target] = Target.parse(await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json());
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await once(socket, 'open');
    return new LiveHeap(socket);
  }

  /**
   * Memory after garbage collection, in megabytes: the heap in use, and the process's resident memory. Buffers are freed by
   * finalizers, which run after a collection: after only one, up to 400 MB of unreferenced bodies were still counted.
   */
  async megabytes(): Promise<{ readonly heap: number; readonly resident: number }> {
    for (let collected = 0; collected < collections; collected += 1) {
      await this.ask('HeapProfiler.collectGarbage');
      await delay(betweenCollectionsMs);
    }
    const told = await this.ask('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
    const { rss, heapUsed, external } = Usage.parse(JSON.parse(told.result?.value ?? ''));
    return { heap: Math.round((heapUsed + external) / 2 ** 20), resident: Math.round(rss / 2 ** 20) };
  }

  private async ask(method: string, params: object = {}): Promise<z.output<typeof Answer>['result']> {
    const answered = Promise.withResolvers<z.output<typeof Answer>['result']>();
    const hear = ({ data }: MessageEvent): void => {
      const { success, data: answer } = Answer.safeParse(JSON.parse(String(data)));
      if (success && answer.id === 2) answered.resolve(answer.result);
    };
    this.socket.addEventListener('message', hear);
    this.socket.send(JSON.stringify({ id: 2, method, params }));
    const result = await answered.promise;
    this.socket.removeEventListener('message', hear);
    return result;
  }

  /** Writes a heap snapshot for a browser's developer tools: comparing two of one run shows what grew. */
  async snapshot(file: string): Promise<void> {
    const written = Promise.withResolvers<void>();
    const descriptor = openSync(file, 'w', 0o600);
    const hear = ({ data }: MessageEvent): void => {
      const said = Snapshot.parse(JSON.parse(String(data)));
      if (said.params) writeSync(descriptor, said.params.chunk);
      else if (said.id === 3) written.resolve();
    };
    this.socket.addEventListener('message', hear);
    this.socket.send(JSON.stringify({ id: 3, method: 'HeapProfiler.takeHeapSnapshot' }));
    await written.promise;
    this.socket.removeEventListener('message', hear);
    closeSync(descriptor);
  }

  close(): void {
    this.socket.close();
  }
}
