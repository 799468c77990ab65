import type { HearingEvent, HearingRequest, LiveHearing, SpeechToText, TimedWord } from '@parley/ports';

/** Sound kept while the line is being opened; the oldest above that is lost. */
const waitingSecondsMax = 10;

export interface LiveLineOptions {
  readonly engine: SpeechToText;
  readonly request: HearingRequest;
  tell(event: HearingEvent): void;
  /** Called once, after the last event, however the line ended. */
  onEnd(): void;
}

/** One connection to an engine that hears live. It is given only voices, and knows where in the call they were. */
export class LiveLine {
  private line: LiveHearing | undefined;
  private waiting: Int16Array[] = [];
  private isFinished = false;
  private isClosed = false;
  private sentMs = 0;
  private readonly places: { readonly sentMs: number; readonly atMs: number }[] = [];

  constructor(private readonly options: LiveLineOptions) {
    void this.run();
  }

  /** What is sent next was heard at this moment of the call. */
  place(atMs: number): void {
    this.places.push({ sentMs: this.sentMs, atMs });
    if (this.places.length > 1000) this.places.shift();
  }

  send(samples: Int16Array): void {
    if (this.isFinished || this.isClosed) return;
    const { sampleRate } = this.options.request;
    this.sentMs += (samples.length * 1000) / sampleRate;
    if (this.line) return this.line.push(samples);
    this.waiting.push(samples);
    let kept = this.waiting.reduce((sum, { length }) => sum + length, 0);
    while (kept > waitingSecondsMax * sampleRate) kept -= this.waiting.shift()?.length ?? 0;
  }

  /** No more sound will come: the engine writes down what it has, and the line ends. */
  finish(): void {
    this.isFinished = true;
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
      if (this.isFinished) line.finish();
      for await (const event of line.events) if (!this.isClosed) tell(this.placed(event));
    } catch {
      // What the engine failed with is known to the chain that it stands in; here only the end matters.
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
