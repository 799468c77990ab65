const markEveryMs = 400;
/** A carrier that does not answer a mark for so long never will; the clock is believed again. */
const patienceMs = 3000;

interface Mark {
  readonly name: string;
  readonly place: number;
  readonly dueMs: number;
}

/** What the other end says to have played. It can only lower what the clock believes to have been heard. */
export class PlayedReports {
  private readonly marks: Mark[] = [];
  private report: { readonly place: number; readonly atMs: number } | undefined;
  private repeated = 0;
  private lastMarkMs = Number.NEGATIVE_INFINITY;
  private named = 0;

  constructor(
    private readonly sampleRate: number,
    private readonly hasMarks: boolean,
  ) {}

  /** The name of a mark to be set behind what was just handed over, if one is due. */
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

  /** The count is of all that was ever handed over for this utterance, repetitions included. */
  played(samples: number, nowMs: number): void {
    this.report = { place: Math.max(0, samples - this.repeated), atMs: nowMs };
  }

  /** So much will be handed over a second time; marks behind it are void. */
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
    const beforeMark = next && nowMs - next.dueMs < patienceMs ? next.place : Number.POSITIVE_INFINITY;
    return Math.floor(Math.min(byClock, sinceReport, beforeMark));
  }

  /** Whether the other end has yet to say that everything up to here was heard. */
  isBehind(place: number, nowMs: number): boolean {
    return this.marks.length > 0 || this.bound(place, nowMs) < place;
  }

  /** Another utterance begins: counting starts anew. */
  forget(): void {
    this.marks.splice(0);
    this.report = undefined;
    this.repeated = 0;
  }
}
