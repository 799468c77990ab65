import type { HearingEvent, HearingRequest, LiveHearing, SpeechToText, SpokenLanguage, TimedWord } from '@parley/ports';
import type { WrittenForGood } from '../heard';

/** What a writer tells: guesses, parts that stay, and that it cannot continue. */
export type WrittenEvent =
  | { readonly kind: 'partial'; readonly text: string; readonly language?: SpokenLanguage }
  | (WrittenForGood & { readonly kind: 'final' })
  | { readonly kind: 'deaf'; readonly code: string };

/** Transcribes a turn. Never waits and never throws. */
export interface TurnWriter {
  /** A voice began; sound added from now on starts at this moment. */
  begin(atMs: number): void;
  add(samples: Int16Array): void;
  /** The voice paused; what was added should be transcribed soon. */
  pause(): void;
  /** The voice was not the caller's: nothing of it is to be written down. */
  drop(): void;
  /**
   * Everything added is to be written down for good. Answered by exactly one last `final`, empty when nothing was missing; resolves
   * after that.
   */
  finishTurn(): Promise<void>;
  /** Reports what was added so far as a `partial`, unless that happens anyway. */
  guess(): void;
  close(): void;
}

/** Writes nothing down: turns end as ever, and hold no words. */
export class DeafWriter implements TurnWriter {
  private turns = 0;

  constructor(private readonly tell: (event: WrittenEvent) => void) {}

  begin(): void {}
  add(): void {}
  pause(): void {}
  drop(): void {}
  guess(): void {}
  close(): void {}

  async finishTurn(): Promise<void> {
    this.tell({ kind: 'final', text: '', afterTurns: this.turns++ });
  }
}

/** Why nothing is written down any more, as clients know it. */
export const deafCode = 'SPEECH_PROVIDER_UNAVAILABLE';

/** Sound kept while the line is being opened; the oldest above that is lost. */
const waitingSecondsMax = 10;

interface LiveLineOptions {
  readonly engine: SpeechToText;
  readonly request: HearingRequest;
  tell(event: HearingEvent): void;
  /** Called once, after the last event, however the line ended. */
  onEnd(): void;
}

/** Silence appended to a voice, all at once: engines finalize what a silence follows. */
const silenceMs = 500;
/** How much of a turn's sound is kept for a second connection if the first is lost; beyond it the oldest is not repeated. */
const keptSecondsMax = 60;

/** Transcribes live. A lost connection is replaced once per turn, and gets the turn's sound again. */
export class LiveWriter implements TurnWriter {
  private line: LiveLine;
  private unwritten: { readonly atMs: number; readonly blocks: Int16Array[] }[] = [];
  /** Turns that were finished. */
  private turns = 0;
  private isPaused = false;
  private isLost = false;
  private hasRetried = false;
  private isClosed = false;

  constructor(
    private readonly engine: SpeechToText,
    private readonly request: HearingRequest,
    private readonly tell: (event: WrittenEvent) => void,
  ) {
    this.line = this.openLine();
  }

  begin(atMs: number): void {
    if (this.isLost) this.line = this.openLine();
    this.isPaused = false;
    this.unwritten.push({ atMs, blocks: [] });
    this.line.place(atMs);
  }

  add(samples: Int16Array): void {
    const last = this.unwritten.at(-1);
    if (!last) return;
    last.blocks.push(samples);
    this.line.send(samples);
    this.forgetOldest();
  }

  pause(): void {
    this.isPaused = true;
    this.line.send(new Int16Array((this.request.sampleRate * silenceMs) / 1000));
  }

  drop(): void {
    // The engine cannot take a part back.
    if (this.unwritten.length > 1) return this.pause();
    this.unwritten = [];
    this.line.close();
    this.line = this.openLine();
  }

  async finishTurn(): Promise<void> {
    this.hasRetried = false;
    const afterTurns = this.turns++;
    if (this.unwritten.length === 0) return this.say({ kind: 'final', text: '', afterTurns });
    const { line } = this;
    line.finish(afterTurns);
    this.unwritten = [];
    this.line = this.openLine();
    await line.over;
  }

  /** Guesses come by themselves. */
  guess(): void {}

  close(): void {
    this.isClosed = true;
    this.line.close();
  }

  private openLine(): LiveLine {
    this.isLost = false;
    let guess = '';
    const line: LiveLine = new LiveLine({
      engine: this.engine,
      request: this.request,
      tell: (event) => {
        if (event.kind === 'partial') guess = event.text;
        if (event.kind === 'final') guess = '';
        this.hear(event, line);
      },
      onEnd: () => (line === this.line ? this.replaceLine() : this.say({ kind: 'final', text: guess, ...line.finished })),
    });
    return line;
  }

  private hear(event: HearingEvent, line: LiveLine): void {
    const isCurrent = line === this.line;
    if (event.kind === 'final') this.say({ ...event, ...line.finished });
    // A guess of a turn that is over would be taken for the next turn's.
    if (event.kind === 'partial' && isCurrent) this.say(event);
    if (event.kind === 'speech-ended' && isCurrent && this.isPaused) this.unwritten = [];
  }

  /** Without a voice there is time until the next one. Otherwise a second connection gets the turn from its start. */
  private replaceLine(): void {
    this.isLost = true;
    if (this.unwritten.length === 0) return;
    if (this.hasRetried) {
      this.unwritten = [];
      return this.say({ kind: 'deaf', code: deafCode });
    }
    this.hasRetried = true;
    this.line = this.openLine();
    for (const { atMs, blocks } of this.unwritten) {
      this.line.place(atMs);
      for (const block of blocks) this.line.send(block);
    }
    if (this.isPaused) this.pause();
  }

  private forgetOldest(): void {
    const samplesMax = keptSecondsMax * this.request.sampleRate;
    let kept = this.unwritten.reduce((sum, { blocks }) => blocks.reduce((length, block) => length + block.length, sum), 0);
    while (kept > samplesMax) {
      const oldest = this.unwritten[0]?.blocks.shift();
      if (oldest) kept -= oldest.length;
      else this.unwritten.shift();
    }
  }

  private say(event: WrittenEvent): void {
    if (!this.isClosed) this.tell(event);
  }
}

/** One connection to a live engine. It is sent only voices, and maps them to their place in the call. */
class LiveLine {
  /** How many turns had been finished before the one that it wrote down; known once that is finished. */
  finished: { readonly afterTurns: number } | undefined;
  /** Resolves when everything was told that is written down of it. */
  readonly over: Promise<void>;
  private line: LiveHearing | undefined;
  private waiting: Int16Array[] = [];
  private isClosed = false;
  private sentMs = 0;
  private readonly places: { readonly sentMs: number; readonly atMs: number }[] = [];

  constructor(private readonly options: LiveLineOptions) {
    this.over = this.run();
  }

  /** The next sound was heard at this moment of the call. */
  place(atMs: number): void {
    this.places.push({ sentMs: this.sentMs, atMs });
    if (this.places.length > 1000) this.places.shift();
  }

  send(samples: Int16Array): void {
    if (this.finished || this.isClosed) return;
    const { sampleRate } = this.options.request;
    this.sentMs += (samples.length * 1000) / sampleRate;
    if (this.line) return this.line.push(samples);
    this.waiting.push(samples);
    let kept = this.waiting.reduce((sum, { length }) => sum + length, 0);
    while (kept > waitingSecondsMax * sampleRate) kept -= this.waiting.shift()?.length ?? 0;
  }

  /** No more sound follows: the engine finishes its transcript, and the connection ends. */
  finish(afterTurns: number): void {
    this.finished = { afterTurns };
    this.line?.finish();
  }

  close(): void {
    this.isClosed = true;
    this.line?.close();
  }

  private async run(): Promise<void> {
    const { engine, request, tell, onEnd } = this.options;
    try {
      if (!engine.listen) throw new TypeError(`${engine.capabilities.provider} says that it is live and is not`);
      const line = await engine.listen(request);
      if (this.isClosed) return line.close();
      this.line = line;
      for (const samples of this.waiting.splice(0)) line.push(samples);
      if (this.finished) line.finish();
      for await (const event of line.events) if (!this.isClosed) tell(this.placed(event));
    } catch {
      // The failure is handled by the engine's chain; here only the end matters.
    }
    if (!this.isClosed) onEnd();
  }

  private placed(event: HearingEvent): HearingEvent {
    return event.kind === 'final' && event.words ? { ...event, words: event.words.map((word) => this.placedWord(word)) } : event;
  }

  private placedWord({ text, startMs, endMs }: TimedWord): TimedWord {
    const place = this.places.findLast(({ sentMs }) => sentMs <= startMs);
    const shiftMs = place ? place.atMs - place.sentMs : 0;
    return { text, startMs: startMs + shiftMs, endMs: endMs + shiftMs };
  }
}
