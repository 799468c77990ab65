import { joinSamples, Resampler, silenceBefore } from '@parley/audio';
import { Fault } from '@parley/contracts';
import { nobodyWaits, type SpeechBlock } from '@parley/ports';
import type { AnswerLatency, HeardAnswer, HeardSoFar, SessionAction, Slice, UntimedEvent } from '../session/events';
import { type Clock, settledBy } from '../clock';
import type { AnswerGenerator, Synthesizer } from './surroundings';

/** How long the next question waits for history to be corrected. */
const correctionMsMax = 2000;

type Ask = Extract<SessionAction, { kind: 'answer' }>;

interface Run {
  readonly stop: AbortController;
  turnUUID: string | undefined;
  isDiscarded: boolean;
  /** It stops as soon as history contains its turn. */
  isAbandoned: boolean;
  followed: Promise<void>;
}

/** Runs the answers that a session requests, and corrects history afterwards. */
export class AnswerRuns {
  private readonly runs = new Map<number, Run>();
  private readonly abandoned: Promise<void>[] = [];
  private readonly corrections = new Set<Promise<void>>();
  private lastUnanswered: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly generator: AnswerGenerator,
    private readonly clock: Clock,
    private readonly tell: (step: UntimedEvent) => void,
  ) {}

  ask({ answer, question, language, isSpeculative, usualPauseMs }: Ask): void {
    const run: Run = {
      stop: new AbortController(),
      turnUUID: undefined,
      isDiscarded: false,
      isAbandoned: false,
      followed: Promise.resolve(),
    };
    this.runs.set(answer, run);
    run.followed = this.follow(answer, run, { question, language, isSpeculative, usualPauseMs, signal: run.stop.signal });
  }

  /** Stops an answer. Its question belongs in history, so one that is not there yet is stopped once it is. */
  stop(answer: number): void {
    const run = this.runs.get(answer);
    if (run?.turnUUID !== undefined) return run.stop.abort(nobodyWaits);
    if (!run || run.isAbandoned) return;
    run.isAbandoned = true;
    this.abandoned.push(run.followed);
  }

  /** Stops an answer and removes it from history, even if it is stored only later. */
  discard(answer: number): void {
    const run = this.runs.get(answer);
    if (!run) return;
    run.isDiscarded = true;
    run.stop.abort(nobodyWaits);
    this.forgetTurn(run);
    this.runs.delete(answer);
  }

  keepHeard(heard: HeardAnswer): void {
    this.correct(this.generator.keepHeard(heard));
  }

  keepHeardSoFar(heard: HeardSoFar): void {
    this.correct(this.generator.keepHeardSoFar(heard), { isWaitedFor: heard.soFar.isAll });
  }

  keepLatency(turn: AnswerLatency): void {
    this.correct(this.generator.keepLatency(turn), { isWaitedFor: false });
  }

  /** One after the other, behind a question that is on its way to its turn: history has them in the order in which they came. */
  keepUnanswered(question: string): void {
    const before = Promise.allSettled([this.lastUnanswered, ...this.abandoned]);
    const kept = before.then(() => this.generator.keepUnanswered(question));
    this.lastUnanswered = kept;
    this.correct(kept);
  }

  /** Resolves after closing, once history contains the questions and what was heard of their answers, or storing them failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.abandoned);
    await this.corrected();
  }

  close(): void {
    for (const { stop, isAbandoned } of this.runs.values()) if (!isAbandoned) stop.abort(nobodyWaits);
    this.runs.clear();
  }

  private async corrected(): Promise<void> {
    await Promise.allSettled(this.corrections);
  }

  private async follow(answer: number, run: Run, request: Parameters<AnswerGenerator['answer']>[0]): Promise<void> {
    try {
      if (this.corrections.size > 0) await settledBy(this.clock, correctionMsMax, this.corrected());
      if (run.stop.signal.aborted) return;
      for await (const step of this.generator.answer(request)) {
        if (step.kind === 'begun') run.turnUUID = step.turnUUID;
        if (run.isDiscarded) this.forgetTurn(run);
        if (run.isAbandoned && run.turnUUID !== undefined) return this.leave(run.turnUUID);
        if (run.stop.signal.aborted) return;
        this.tell({ kind: 'answered', answer, step });
      }
    } catch (failure) {
      if (!run.stop.signal.aborted) this.fail(answer, failure);
    }
  }

  private leave(turnUUID: string): void {
    this.correct(this.generator.keepHeard({ turnUUID, heardText: '', playedMs: 0 }));
  }

  private fail(answer: number, failure: unknown): void {
    const fault = failure instanceof Fault ? failure : new Fault('INTERNAL', { cause: failure });
    this.tell({ kind: 'answer-failed', answer, code: fault.code, message: fault.message });
  }

  private forgetTurn(run: Run): void {
    if (run.turnUUID === undefined) return;
    this.correct(this.generator.discard(run.turnUUID));
    run.turnUUID = undefined;
  }

  private correct(work: Promise<void>, { isWaitedFor = true } = {}): void {
    // A failed correction only leaves too little in history, which is no reason to end the call.
    const quiet = work.catch(() => undefined);
    if (!isWaitedFor) return;
    this.corrections.add(quiet);
    void quiet.finally(() => this.corrections.delete(quiet));
  }
}

/** No sentence takes longer to speak; a synthesizer that goes on beyond it is stopped. */
const pieceSecondsMax = 60;

type Speak = Extract<SessionAction, { kind: 'speak' }>;

interface RunListener {
  readonly sampleRate: number;
  /** Hashes cost time, so they are computed only if events are logged. */
  readonly isHashed: boolean;
  tell(event: UntimedEvent): void;
}

/** Synthesizes sentences and holds their sound. */
export class PieceSounds {
  private readonly sounds = new Map<number, PieceSound>();

  constructor(
    private readonly synthesizer: Synthesizer,
    private readonly listener: RunListener,
  ) {}

  speak(speak: Speak): void {
    const sound = new PieceSound(this.listener.sampleRate);
    this.sounds.set(speak.piece, sound);
    void this.follow(speak, sound);
  }

  forget(piece: number): void {
    this.sounds.get(piece)?.close();
    this.sounds.delete(piece);
  }

  join(slices: readonly Slice[], padding: number): Int16Array {
    return joinSlices(this.sounds, slices, padding);
  }

  close(): void {
    for (const piece of [...this.sounds.keys()]) this.forget(piece);
  }

  private async follow({ piece, text, language, isFirst }: Speak, sound: PieceSound): Promise<void> {
    const { signal } = sound.stop;
    try {
      for await (const block of this.synthesizer.speak({ text, language, isFirst, signal })) {
        if (signal.aborted) return;
        const isRoom = await this.keep(piece, sound, block);
        if (signal.aborted) return;
        if (!isRoom) break;
      }
      if (signal.aborted) return;
      this.report(piece, sound.flush());
      this.listener.tell({ kind: 'sound-ended', piece });
    } catch (failure) {
      if (signal.aborted) return;
      const { code, message } = failure instanceof Fault ? failure : new Fault('SPEECH_PROVIDER_UNAVAILABLE');
      this.listener.tell({ kind: 'sound-failed', piece, code, message });
    }
  }

  private async keep(piece: number, sound: PieceSound, block: SpeechBlock): Promise<boolean> {
    const samples = sound.take(block) ?? (await sound.takeAtNewRate(block));
    if (sound.stop.signal.aborted) return false;
    this.report(piece, samples, block.words);
    return sound.hasRoom;
  }

  private report(piece: number, samples: Int16Array, words?: SpeechBlock['words']): void {
    if (samples.length === 0 && !words) return;
    const silent = this.sounds.get(piece)?.silenceIn(samples) ?? 0;
    const hash = this.listener.isHashed ? { hash: soundHash(samples) } : {};
    this.listener.tell({
      kind: 'sound',
      piece,
      samples: samples.length,
      ...(silent > 0 && { silent }),
      ...(words && { words }),
      ...hash,
    });
  }
}

/** One sentence's sound at the line's rate, kept until it is released. */
class PieceSound {
  readonly stop = new AbortController();
  private readonly blocks: Int16Array[] = [];
  private samples = 0;
  private isAudible = false;
  private resampler: Resampler | undefined;

  constructor(private readonly sampleRate: number) {}

  get hasRoom(): boolean {
    return this.samples < pieceSecondsMax * this.sampleRate;
  }

  /** Adds a block and returns it at the line's rate; undefined if its own rate is new, which needs another resampler. */
  take({ samples, sampleRate }: SpeechBlock): Int16Array | undefined {
    if (sampleRate === this.sampleRate) return this.keep(samples);
    return this.resampler?.fromRate === sampleRate ? this.keep(this.resampler.push(samples)) : undefined;
  }

  async takeAtNewRate({ samples, sampleRate }: SpeechBlock): Promise<Int16Array> {
    this.resampler?.close();
    this.resampler = await Resampler.create(sampleRate, this.sampleRate);
    if (!this.stop.signal.aborted) return this.keep(this.resampler.push(samples));
    this.resampler.close();
    return new Int16Array(0);
  }

  /** How many of these samples are silence before the voice begins. */
  silenceIn(samples: Int16Array): number {
    if (this.isAudible) return 0;
    const silent = silenceBefore(samples);
    this.isAudible = silent < samples.length;
    return silent;
  }

  /** Adds what the resampler still holds back. */
  flush(): Int16Array {
    const rest = this.resampler?.flush() ?? new Int16Array(0);
    this.resampler?.close();
    this.resampler = undefined;
    return this.keep(rest);
  }

  /** A slice of the sound. Missing samples become silence, which keeps positions correct. */
  cut({ from, samples }: Slice): Int16Array {
    const out = new Int16Array(samples);
    let at = 0;
    for (const block of this.blocks) {
      const start = Math.max(from, at);
      const end = Math.min(from + samples, at + block.length);
      if (end > start) out.set(block.subarray(start - at, end - at), start - from);
      at += block.length;
      if (at >= from + samples) break;
    }
    return out;
  }

  close(): void {
    this.stop.abort(nobodyWaits);
    this.resampler?.close();
    this.resampler = undefined;
    this.blocks.length = 0;
  }

  private keep(samples: Int16Array): Int16Array {
    if (samples.length > 0) this.blocks.push(samples);
    this.samples += samples.length;
    return samples;
  }
}

/** Joins slices into one block for the line, with silence to fill the last frame. */
function joinSlices(sounds: ReadonlyMap<number, PieceSound>, slices: readonly Slice[], padding: number): Int16Array {
  const parts = slices.map((slice) => sounds.get(slice.piece)?.cut(slice) ?? new Int16Array(slice.samples));
  const [only] = parts;
  if (parts.length === 1 && padding === 0 && only) return only;
  return joinSamples([...parts, new Int16Array(padding)]);
}

/** FNV-1a over the samples, enough to tell whether two sounds are the same. */
function soundHash(samples: Int16Array): string {
  let hash = 0x811c9dc5;
  for (const sample of samples) hash = Math.imul(hash ^ (sample & 0xffff), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
