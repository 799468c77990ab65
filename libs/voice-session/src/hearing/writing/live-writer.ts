import type { HearingEvent, HearingRequest, SpeechToText } from '@parley/ports';
import { LiveLine } from './live-line';
import { deafCode, type TurnWriter, type WrittenEvent } from './turn-writer';

/** Silence sent behind a voice, all at once: engines write down for good what a silence follows. */
const silenceMs = 500;
/** Sound of the turn that is kept for a second line, should the first be lost; the oldest above that is not heard again. */
const keptSecondsMax = 60;

/** Has what is said written down while it is said. A line that is lost is replaced once a turn, and hears the turn again. */
export class LiveWriter implements TurnWriter {
  private line: LiveLine;
  private unwritten: { readonly atMs: number; readonly blocks: Int16Array[] }[] = [];
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

  finishTurn(): void {
    this.hasRetried = false;
    if (this.unwritten.length === 0) return this.say({ kind: 'final', text: '' });
    this.line.finish();
    this.unwritten = [];
    this.line = this.openLine();
  }

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
        this.hear(event, line === this.line);
      },
      onEnd: () => (line === this.line ? this.replaceLine() : this.say({ kind: 'final', text: guess })),
    });
    return line;
  }

  private hear(event: HearingEvent, isCurrent: boolean): void {
    if (event.kind === 'final') this.say(event);
    // A guess of a turn that is over would be taken for the next turn's.
    if (event.kind === 'partial' && isCurrent) this.say(event);
    if (event.kind === 'speech-ended' && isCurrent && this.isPaused) this.unwritten = [];
  }

  /** Nobody speaks: there is time until somebody does. Otherwise a second line hears the turn from its start. */
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
