import { parentPort, workerData } from 'node:worker_threads';
import { yieldIfAsked } from '../answer-calls.ts';

// The few WASI calls that flite makes, implemented in memory, so the engine has no access to files or environment.
const success = 0;

const badDescriptor = 8;

const notSeekable = 70;

const rootDescriptor = 3;

const outputDescriptor = 4;

const everyRight = 0xffff_ffff_ffff_ffffn;

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** How much the memory of an instance may grow before it is replaced. */
const grownBytesMax = 64 * 1024 * 1024;

interface Started {
  readonly memory: WebAssembly.Memory;
  readonly start: () => void;
  /** A copy of the memory before the first run. */
  readonly fresh: Uint8Array;
}

/**
 * A WASI command that is run repeatedly. Creating an instance, with 16 MB of voices, for each sentence took longer than synthesizing it;
 * instead the memory is restored to its initial state before each run.
 */
class Command {
  private started: Started | undefined;
  private run = new Run([]);
  private readonly module: WebAssembly.Module;

  constructor(module: WebAssembly.Module) {
    this.module = module;
  }

  /** Runs the command and returns the bytes of the file that it wrote. */
  outputOf(args: readonly string[]): Uint8Array {
    const { memory, start } = this.take();
    this.run = new Run(args);
    this.run.memory = memory;
    try {
      start();
    } catch (end) {
      // After a failure its stack pointer is not restored, so the instance cannot be reused.
      this.started = undefined;
      if (!(end instanceof Exit)) throw end;
      if (end.code !== 0) throw new Error(`the command ended with code ${end.code}`, { cause: end });
    }
    return this.run.output();
  }

  private take(): Started {
    const { started } = this;
    const grown = started ? started.memory.buffer.byteLength - started.fresh.length : 0;
    if (!started || grown > grownBytesMax) return (this.started = this.instantiate());
    const bytes = new Uint8Array(started.memory.buffer);
    bytes.set(started.fresh);
    bytes.fill(0, started.fresh.length);
    return started;
  }

  private instantiate(): Started {
    const calls = Object.keys(this.run.calls).map((name) => [name, (...given: never[]) => this.run.calls[name]?.(...given)]);
    const instance = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: Object.fromEntries(calls) });
    const { memory, _start: start } = instance.exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof start !== 'function') throw new TypeError('not a WASI command');
    return { memory, start: () => void Reflect.apply(start, undefined, []), fresh: new Uint8Array(memory.buffer).slice() };
  }
}

class Run {
  memory: WebAssembly.Memory | undefined;
  readonly calls = this.callsOfWasi();
  private readonly args: readonly Buffer[];
  private file = new Uint8Array(256 * 1024);
  private size = 0;
  private at = 0;

  constructor(args: readonly string[]) {
    this.args = args.map((arg) => Buffer.from(`${arg.replaceAll('\0', ' ')}\0`));
  }

  output(): Uint8Array {
    return this.file.slice(0, this.size);
  }

  private callsOfWasi(): Record<string, (...parameters: never[]) => number> {
    return {
      args_sizes_get: (count: number, bytes: number) =>
        this.put32(count, this.args.length) ||
        this.put32(
          bytes,
          this.args.reduce((sum, arg) => sum + arg.length, 0),
        ),
      args_get: (pointers: number, text: number) => this.putArgs(pointers, text),
      clock_time_get: (_id: number, _precision: bigint, time: number) => this.put64(time, 0n),
      fd_close: () => success,
      fd_fdstat_get: (descriptor: number, status: number) => this.describe(descriptor, status),
      fd_fdstat_set_flags: () => success,
      fd_prestat_get: (descriptor: number, prestat: number) =>
        descriptor === rootDescriptor ? this.put32(prestat, 0) || this.put32(prestat + 4, 1) : badDescriptor,
      fd_prestat_dir_name: (_descriptor: number, name: number) => this.putByte(name, '/'.charCodeAt(0)),
      fd_read: () => badDescriptor,
      fd_seek: (descriptor: number, offset: bigint, from: number, position: number) =>
        descriptor === outputDescriptor ? this.seek(Number(offset), from, position) : notSeekable,
      fd_write: (descriptor: number, vectors: number, count: number, written: number) =>
        this.write(descriptor === outputDescriptor, { vectors, count }, written),
      path_open: (...parameters: never[]) => this.put32(Number(parameters[8]), outputDescriptor),
      proc_exit: (code: number) => {
        throw new Exit(code);
      },
    };
  }

  private view(): DataView {
    if (!this.memory) throw new TypeError('the command called before it was started');
    return new DataView(this.memory.buffer);
  }

  private put32(at: number, value: number): number {
    this.view().setUint32(at, value, true);
    return success;
  }

  private put64(at: number, value: bigint): number {
    this.view().setBigUint64(at, value, true);
    return success;
  }

  private putByte(at: number, value: number): number {
    this.view().setUint8(at, value);
    return success;
  }

  private putArgs(pointers: number, text: number): number {
    let at = text;
    this.args.forEach((arg, index) => {
      this.put32(pointers + 4 * index, at);
      new Uint8Array(this.view().buffer).set(arg, at);
      at += arg.length;
    });
    return success;
  }

  private describe(descriptor: number, status: number): number {
    const directory = 3;
    const regularFile = 4;
    const view = this.view();
    view.setUint16(status, descriptor === rootDescriptor ? directory : regularFile, true);
    view.setUint16(status + 2, 0, true);
    view.setBigUint64(status + 8, everyRight, true);
    view.setBigUint64(status + 16, everyRight, true);
    return success;
  }

  private seek(offset: number, from: number, position: number): number {
    const base = [0, this.at, this.size][from] ?? 0;
    this.at = Math.max(0, base + offset);
    return this.put64(position, BigInt(this.at));
  }

  private write(isOutput: boolean, { vectors, count }: { vectors: number; count: number }, written: number): number {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const from = this.view().getUint32(vectors + 8 * i, true);
      const length = this.view().getUint32(vectors + 8 * i + 4, true);
      if (isOutput) this.append(new Uint8Array(this.view().buffer, from, length));
      total += length;
    }
    return this.put32(written, total);
  }

  private append(bytes: Uint8Array): void {
    const end = this.at + bytes.length;
    if (end > this.file.length) {
      const larger = new Uint8Array(Math.max(end, this.file.length * 2));
      larger.set(this.file);
      this.file = larger;
    }
    this.file.set(bytes, this.at);
    this.at = end;
    this.size = Math.max(this.size, end);
  }
}

yieldIfAsked('engine');

function cpuMsSoFar(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const headerBytes = 44;
const command = new Command(workerData);

parentPort?.on('message', ({ text, voice, pace }: { text: string; voice: string; pace: number }) => {
  try {
    const wav = command.outputOf([
      'flite',
      '-voice',
      voice,
      '--setf',
      `duration_stretch=${1 / pace}`,
      '-t',
      text,
      '-o',
      'out.wav',
    ]);
    const bytes = wav.slice(headerBytes, wav.length - (wav.length % 2));
    const sampleRate = new DataView(wav.buffer).getUint32(24, true);
    const samples = new Int16Array(bytes.buffer);
    parentPort?.postMessage({ samples, sampleRate, cpuMs: cpuMsSoFar() }, [samples.buffer]);
  } catch (failure) {
    parentPort?.postMessage({ failure: String(failure) });
  }
});
