import type { TimedWord } from '@parley/ports';
import type { SessionAction } from './events';
import { type Piece, type Purpose, Utterance } from './utterance';

/** How far ahead of the listener sound is sent: normally enough to survive a busy machine; less where the agent must fall silent at once. */
const usualLeadMs = 60;
const quickLeadMs = 40;
/** More is sent once the lead has shrunk to this. */
const reserveMs = 20;
const frameMs = 20;
const utterancesMax = 8;
/** How long hanging up waits for the report that the last word was played. */
const reportTimeoutMs = 2000;

export interface FrameCounts {
  readonly frames: number;
  /** Frames sent after they should have been heard, although their sound was ready in time. */
  readonly lateFrames: number;
}

/** Sends utterances in order and in real time. Cancelled sound is never sent. */
export class Output {
  private readonly queue: Utterance[] = [];
  private readonly reports: PlayedReports;
  private readonly frameSamples: number;
  private readonly leadMs: number;
  private generation = 0;
  private nextPiece = 1;
  private isPaused = false;
  private isStarving = true;
  private soundsUntilMs = Number.NEGATIVE_INFINITY;
  private frames = 0;
  private lateFrames = 0;

  constructor(private readonly line: { readonly sampleRate: number; readonly hasMarks: boolean; readonly isQuick?: boolean }) {
    this.leadMs = line.isQuick ? quickLeadMs : usualLeadMs;
    this.frameSamples = (line.sampleRate * frameMs) / 1000;
    this.reports = new PlayedReports(line.sampleRate, line.hasMarks);
  }

  get current(): Utterance | undefined {
    return this.queue[0];
  }

  get frameCounts(): FrameCounts {
    return { frames: this.frames, lateFrames: this.lateFrames };
  }

  /** Queues an utterance; a filler goes ahead of one that has not begun. Undefined if the queue is full. */
  open(about: { purpose: Purpose; turnUUID: string; isProtected: boolean }): Utterance | undefined {
    if (this.queue.length >= utterancesMax) return undefined;
    const utterance = new Utterance(++this.generation, about);
    if (about.purpose === 'filler' && !this.current?.sent) this.queue.unshift(utterance);
    else this.queue.push(utterance);
    return utterance;
  }

  add(utterance: Utterance, text: string, { isAside = false } = {}): boolean {
    return utterance.add(this.nextPiece++, text, isAside);
  }

  /** When an unfinished utterance ran out of sound; infinite while it has some, or some is being synthesized. */
  get ranDryAtMs(): number {
    const utterance = this.current;
    if (!utterance?.sent || utterance.isSent || this.isPaused) return Number.POSITIVE_INFINITY;
    return utterance.isSpoken ? this.soundsUntilMs : Number.POSITIVE_INFINITY;
  }

  /** The pieces to synthesize now, possibly of the next utterance while the current one is heard. */
  wanted(): Piece[] {
    const soon = this.queue.flatMap(({ upcoming: pieces }) => pieces).slice(0, 2);
    return soon.filter(({ askedAtMs }) => askedAtMs === undefined);
  }

  piece(id: number): Piece | undefined {
    return this.queue.flatMap(({ pieces }) => pieces).find((piece) => piece.id === id);
  }

  /** Adds synthesized sound. If it arrives after the line ran dry, the gap is not counted as our lateness. */
  makeSound(id: number, sound: { samples: number; silent?: number; words?: readonly TimedWord[] }, nowMs: number): void {
    const piece = this.piece(id);
    if (!piece || piece.isMade) return;
    if (this.soundsUntilMs <= nowMs && this.current?.available().samples === 0) this.isStarving = true;
    piece.made += sound.samples;
    piece.silent += sound.silent ?? 0;
    piece.words.push(...(sound.words ?? []));
  }

  /** The actions that send what is due now. */
  play(nowMs: number): SessionAction[] {
    const utterance = this.current;
    if (!utterance || this.isPaused) return [];
    const room = Math.floor((this.leadMs - Math.max(0, this.soundsUntilMs - nowMs)) / frameMs);
    if (room * frameMs < this.leadMs - reserveMs) return [];
    const { samples, mayPad } = utterance.available();
    const wholeFrames = Math.min(room * this.frameSamples, samples - (mayPad ? 0 : samples % this.frameSamples));
    if (wholeFrames === 0) {
      utterance.cut(0);
      return [];
    }
    this.countLateness(nowMs);
    return this.handOver(utterance, wholeFrames, nowMs);
  }

  /** When `play` or `finished` is next due; infinite while only new sound can change anything. */
  dueMs(nowMs: number): number {
    const utterance = this.current;
    if (!utterance || this.isPaused) return Number.POSITIVE_INFINITY;
    const { samples, mayPad } = utterance.available();
    if (samples >= this.frameSamples || (mayPad && samples > 0)) return this.soundsUntilMs - reserveMs;
    if (!utterance.isSent) return Number.POSITIVE_INFINITY;
    return this.soundsUntilMs > nowMs ? this.soundsUntilMs : nowMs + frameMs;
  }

  /** Takes the current utterance off the queue once it has been heard. Before hanging up, the other end's report is waited for. */
  finished(nowMs: number, waitsForReports: boolean): Utterance | undefined {
    const utterance = this.current;
    if (!utterance?.isSent || this.isPaused || nowMs < this.soundsUntilMs) return undefined;
    const isBehind = waitsForReports && this.reports.isBehind(utterance.sent, nowMs);
    if (isBehind && nowMs < this.soundsUntilMs + reportTimeoutMs) return undefined;
    this.reports.forget();
    return this.queue.shift();
  }

  /** How many samples of the current utterance the caller has heard: a lower bound. */
  heard(nowMs: number): number {
    const sent = this.current?.sent ?? 0;
    const ahead = Math.max(0, ((this.soundsUntilMs - nowMs) * this.line.sampleRate) / 1000);
    return this.reports.bound(Math.max(0, Math.floor(sent - ahead)), nowMs);
  }

  /** Falls silent at once. Sound that was sent but not heard will be sent again. */
  pause(nowMs: number): void {
    if (this.isPaused) return;
    const heard = this.heard(nowMs);
    this.reports.rewound((this.current?.sent ?? 0) - heard);
    this.current?.rewindTo(heard);
    this.soundsUntilMs = nowMs;
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.isStarving = true;
  }

  /** Drops all utterances and returns them, the current one first. */
  cancel(nowMs: number): Utterance[] {
    this.pause(nowMs);
    this.resume();
    this.reports.forget();
    return this.queue.splice(0);
  }

  /** Drops all utterances that have not begun. */
  dropWaiting(): Utterance[] {
    return this.queue.splice(this.current?.sent ? 1 : 0);
  }

  notePlayed(report: { playedMs: number } | { mark: string }, nowMs: number): void {
    if ('mark' in report) this.reports.marked(report.mark, nowMs);
    else this.reports.played((report.playedMs * this.line.sampleRate) / 1000, nowMs);
  }

  private handOver(utterance: Utterance, samples: number, nowMs: number): SessionAction[] {
    const slices = utterance.cut(samples);
    const padding = (this.frameSamples - (samples % this.frameSamples)) % this.frameSamples;
    utterance.sent += padding;
    const frames = (samples + padding) / this.frameSamples;
    this.frames += frames;
    this.isStarving = false;
    this.soundsUntilMs = Math.max(this.soundsUntilMs, nowMs) + frames * frameMs;
    const mark = this.reports.handedOver({ place: utterance.sent, untilMs: this.soundsUntilMs, isLast: utterance.isSent });
    const { generation } = utterance;
    return [{ kind: 'play', generation, slices, padding }, ...(mark ? [{ kind: 'mark', name: mark } as const] : [])];
  }

  private countLateness(nowMs: number): void {
    if (this.isStarving || this.soundsUntilMs >= nowMs) return;
    this.lateFrames += Math.ceil((nowMs - this.soundsUntilMs) / frameMs);
  }
}

const markEveryMs = 400;
/** A mark unanswered for this long is ignored, and the clock alone decides. */
const markTimeoutMs = 3000;

interface Mark {
  readonly name: string;
  readonly place: number;
  readonly dueMs: number;
}

/** What the other end reports as played. It can only lower the estimate made by the clock. */
class PlayedReports {
  private readonly marks: Mark[] = [];
  private report: { readonly place: number; readonly atMs: number } | undefined;
  private repeated = 0;
  private lastMarkMs = Number.NEGATIVE_INFINITY;
  private named = 0;

  constructor(
    private readonly sampleRate: number,
    private readonly hasMarks: boolean,
  ) {}

  /** The name of the mark to send after this sound, if one is due. */
  handedOver({ place, untilMs, isLast }: { place: number; untilMs: number; isLast: boolean }): string | undefined {
    if (!this.hasMarks || (!isLast && untilMs - this.lastMarkMs < markEveryMs)) return undefined;
    this.lastMarkMs = untilMs;
    const name = `m${++this.named}`;
    this.marks.push({ name, place, dueMs: untilMs });
    return name;
  }

  marked(name: string, nowMs: number): void {
    const index = this.marks.findIndex((mark) => mark.name === name);
    const mark = this.marks[index];
    if (!mark) return;
    this.marks.splice(0, index + 1);
    this.report = { place: mark.place, atMs: nowMs };
  }

  /** @param samples All that was played of this utterance, repetitions included. */
  played(samples: number, nowMs: number): void {
    this.report = { place: Math.max(0, samples - this.repeated), atMs: nowMs };
  }

  /** This many samples will be sent a second time; outstanding marks are void. */
  rewound(samples: number): void {
    this.repeated += samples;
    this.marks.splice(0);
  }

  bound(byClock: number, nowMs: number): number {
    const {
      report,
      marks: [next],
    } = this;
    const sinceReport = report ? report.place + ((nowMs - report.atMs) * this.sampleRate) / 1000 : Number.POSITIVE_INFINITY;
    const beforeMark = next && nowMs - next.dueMs < markTimeoutMs ? next.place : Number.POSITIVE_INFINITY;
    return Math.floor(Math.min(byClock, sinceReport, beforeMark));
  }

  /** Whether the other end has not yet reported everything up to here as played. */
  isBehind(place: number, nowMs: number): boolean {
    return this.marks.length > 0 || this.bound(place, nowMs) < place;
  }

  /** A new utterance begins: counting restarts. */
  forget(): void {
    this.marks.splice(0);
    this.report = undefined;
    this.repeated = 0;
  }
}
