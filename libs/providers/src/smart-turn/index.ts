import { existsSync } from 'node:fs';
import path from 'node:path';
import { resample } from '@parley/audio';
import { type TurnEnd, type TurnEndCapabilities, type TurnEndRequest, within } from '@parley/ports';
import { CallableWorker, PatientThread } from '../callable-worker';
import type { SmartTurnCalls } from './smart-turn.worker';

const provider = 'smart-turn';
const modelRate = 16_000;
const sampleRates = [8000, modelRate];
const secondsMax = 4;
const modelPath = 'smart-turn/smart-turn-v3.2-cpu.onnx';
/** Batches are small, since a joint run costs as much as separate ones. */
const batchMax = 4;
/** The length of the queue, on a machine too slow for its calls; further requests get no answer. */
const waitingMax = 32;

interface Thread {
  call(operation: 'judge', sounds: readonly Int16Array[]): Promise<Float32Array>;
  retire(patienceMs?: number): Promise<void>;
}

interface SmartTurnOptions {
  /** A later answer is useless, since the silence has decided by then. */
  readonly answerMs?: number;
  /** A thread that takes longer is abandoned, and another one is started. */
  readonly hangMs?: number;
  /** How long the model is not used after a failure. */
  readonly restMs?: number;
  readonly worker?: Thread;
}

interface WaitingTurn {
  readonly samples: Int16Array;
  readonly untilMs: number;
  answer(probability: number | undefined): void;
}

/** smart-turn v3, which judges by prosody whether a turn is over, in a worker thread shared by all calls of a process. */
export class SmartTurn implements TurnEnd {
  private readonly answerMs: number;
  private readonly hangMs: number;
  private readonly worker: Thread;
  private readonly isThere: boolean;
  private readonly waiting: WaitingTurn[] = [];
  private isAsking = false;
  private isClosed = false;
  private readonly thread: PatientThread;

  constructor(
    private readonly modelsFolder: string,
    { answerMs = 1000, hangMs = 30_000, restMs = 10_000, worker }: SmartTurnOptions = {},
  ) {
    this.answerMs = answerMs;
    this.hangMs = hangMs;
    const model = path.resolve(modelsFolder, modelPath);
    this.isThere = worker !== undefined || existsSync(model);
    const file = path.join(__dirname, `smart-turn.worker${path.extname(__filename)}`);
    this.worker = worker ?? new CallableWorker<SmartTurnCalls>({ provider, file, workerData: model });
    this.thread = new PatientThread({ provider, hangMs: 0, leave: () => this.worker.retire(0), restMs: () => restMs });
  }

  get capabilities(): TurnEndCapabilities {
    const ways = '`npm run models -- add smart-turn`, or in a container `node tools/models.mjs add smart-turn`';
    const unavailable = `finds no model in PARLEY_MODELS (${this.modelsFolder}): ${ways}, downloads it`;
    return { provider, sampleRates, secondsMax, ...(!this.isThere && { unavailable }) };
  }

  async judge({ samples, sampleRate }: TurnEndRequest): Promise<number | undefined> {
    if (!sampleRates.includes(sampleRate)) throw new RangeError(`${provider} does not judge ${sampleRate} Hz`);
    const askedAtMs = performance.now();
    if (!this.isThere || this.isClosed || this.thread.isResting || this.waiting.length >= waitingMax) return undefined;
    const heard = samples.slice(-secondsMax * sampleRate);
    const sound = await resample(heard, sampleRate, modelRate);
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.waiting.push({ samples: sound, untilMs: askedAtMs + this.answerMs, answer: resolve });
    void this.ask();
    return within(this.answerMs, promise, () => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { answer } of this.waiting.splice(0)) answer(undefined);
    await this.worker.retire();
  }

  /** Runs one batch at a time. What arrives meanwhile is judged together. */
  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.waiting.length > 0 && !this.isClosed) await this.askOnce();
    this.isAsking = false;
  }

  private async askOnce(): Promise<void> {
    const batch = this.waiting.splice(0, batchMax).filter(({ untilMs }) => untilMs > performance.now());
    if (batch.length === 0) return;
    const sounds = batch.map(({ samples }) => samples);
    const probabilities = await this.thread.ask(() => this.worker.call('judge', sounds), this.hangMs);
    const answered = probabilities ? batch : [...batch, ...this.waiting.splice(0)];
    answered.forEach(({ answer }, index) => answer(probabilities?.[index]));
  }
}
