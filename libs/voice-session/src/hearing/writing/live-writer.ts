import {
  type HearingEvent,
  type HearingRequest,
  liveAnswerMs,
  type LiveHearing,
  type SpeechToText,
  type SpokenLanguage,
  type TimedWord,
} from '@parley/ports';
import type { FinalTranscript } from '../heard';

/** The events of a writer: partial and final transcripts, and that it cannot continue. */
export type WrittenEvent =
  | { readonly kind: 'partial'; readonly text: string; readonly language?: SpokenLanguage; readonly atMs?: number }
  | (FinalTranscript & { readonly kind: 'final' })
  /** From now on transcripts arrive only at pauses, since live ones failed. */
  | { readonly kind: 'writing'; readonly isLive: false }
  | { readonly kind: 'recognition-failed'; readonly code: string };

/** Transcribes turns. Never blocks and never throws. */
export interface TurnWriter {
  /** A voice began; sound added from now on starts at this moment. */
  begin(atMs: number): void;
  add(samples: Int16Array): void;
  /** The voice paused: what was added should be transcribed soon. */
  pause(): void;
  /** The voice was not the caller's, so it is not to be transcribed. */
  drop(): void;
  /**
   * Finishes the transcript of everything added. Causes exactly one last `final`, empty if nothing was missing, and resolves after
   * it.
   */
  finishTurn(): Promise<void>;
  /** Reports a `partial` of what was added so far, unless partials are reported anyway. */
  guess(): void;
  close(): void;
}

/** Transcribes nothing: turns end as usual, without words. */
export class NullWriter implements TurnWriter {
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

/** The code that clients get when transcription fails. */
export const transcriptionFailedCode = 'SPEECH_PROVIDER_UNAVAILABLE';

/** How much sound is buffered while the connection opens; beyond that the oldest is dropped. */
const waitingSecondsMax = 10;

interface LiveConnectionOptions {
  readonly engine: SpeechToText;
  readonly request: HearingRequest;
  tell(event: HearingEvent): void;
  /** Called once after the last event, however the connection ended. */
  onEnd(): void;
}

/** Silence appended to a voice at once, since engines finalize what precedes a silence. */
const silenceMs = 500;
/** How much of a turn's sound is kept to be sent again if the connection is lost. */
const keptSecondsMax = 60;

interface UnwrittenVoice {
  readonly atMs: number;
  readonly blocks: Int16Array[];
}

interface LiveWriterParts {
  tell(event: WrittenEvent): void;
  /** Opens a writer that transcribes at pauses, after this many turns. */
  piecewise(turns: number): TurnWriter;
}

/**
 * Transcribes live. A lost connection is replaced once per turn, and is sent the turn's sound again. If that is lost too, or one says
 * nothing of a finished turn, what is unwritten and the rest of the call are transcribed at pauses, by any engine that can.
 */
export class LiveWriter implements TurnWriter {
  private connection: LiveConnection;
  private unwritten: UnwrittenVoice[] = [];
  /** What has taken its place. */
  private substitute: TurnWriter | undefined;
  /** Turns that were finished. */
  private turns = 0;
  private isPaused = false;
  private isLost = false;
  private hasRetried = false;
  private isClosed = false;

  constructor(
    private readonly engine: SpeechToText,
    private readonly request: HearingRequest,
    private readonly parts: LiveWriterParts,
  ) {
    this.connection = this.connect();
  }

  begin(atMs: number): void {
    if (this.substitute) return this.substitute.begin(atMs);
    if (this.isLost) this.connection = this.connect();
    this.isPaused = false;
    this.unwritten.push({ atMs, blocks: [] });
    this.connection.startAt(atMs);
  }

  add(samples: Int16Array): void {
    if (this.substitute) return this.substitute.add(samples);
    const last = this.unwritten.at(-1);
    if (!last) return;
    last.blocks.push(samples);
    this.connection.send(samples);
    this.forgetOldest();
  }

  pause(): void {
    if (this.substitute) return this.substitute.pause();
    this.isPaused = true;
    this.connection.send(new Int16Array((this.request.sampleRate * silenceMs) / 1000));
  }

  drop(): void {
    if (this.substitute) return this.substitute.drop();
    // The engine cannot forget only a part.
    if (this.unwritten.length > 1) return this.pause();
    this.unwritten = [];
    this.connection.close();
    this.connection = this.connect();
  }

  async finishTurn(): Promise<void> {
    if (this.substitute) return this.substitute.finishTurn();
    this.hasRetried = false;
    const afterTurns = this.turns++;
    const { connection, unwritten } = this;
    if (unwritten.length === 0) return this.say({ kind: 'final', text: '', afterTurns });
    connection.finish(afterTurns);
    this.unwritten = [];
    this.connection = this.connect();
    await connection.over;
    if (connection.hasFailedMute && !this.isClosed) await this.writeAtPauses(unwritten, afterTurns);
  }

  /** Partials are reported anyway. */
  guess(): void {
    this.substitute?.guess();
  }

  close(): void {
    this.isClosed = true;
    this.connection.close();
    this.substitute?.close();
  }

  /** Transcribes a finished turn of which its connection said nothing. */
  private writeAtPauses(unwritten: readonly UnwrittenVoice[], turns: number): Promise<void> {
    this.giveUp();
    return filled(this.parts.piecewise(turns), unwritten).finishTurn();
  }

  private giveUp(): void {
    if (this.substitute || this.isClosed) return;
    this.connection.close();
    this.say({ kind: 'writing', isLive: false });
    this.substitute = filled(this.parts.piecewise(this.turns), this.unwritten);
    if (this.isPaused) this.substitute.pause();
    this.unwritten = [];
  }

  private connect(): LiveConnection {
    this.isLost = false;
    let guess = '';
    const connection: LiveConnection = new LiveConnection({
      engine: this.engine,
      request: this.request,
      tell: (event) => {
        if (event.kind === 'partial') guess = event.text;
        if (event.kind === 'final') guess = '';
        this.hear(event, connection);
      },
      onEnd: () => {
        if (connection === this.connection) this.reconnect();
        else if (!connection.hasFailedMute) this.say({ kind: 'final', text: guess, ...connection.finished });
      },
    });
    return connection;
  }

  private hear(event: HearingEvent, connection: LiveConnection): void {
    const isCurrent = connection === this.connection;
    if (event.kind === 'final') this.say({ ...event, ...connection.finished });
    // A partial of a finished turn would be taken for the next turn's.
    if (event.kind === 'partial' && isCurrent) this.say(event);
    if (event.kind === 'speech-ended' && isCurrent && this.isPaused) this.unwritten = [];
  }

  /** Between voices, a lost connection is replaced when the next one begins. Within a turn, a new one gets the turn from its start. */
  private reconnect(): void {
    this.isLost = true;
    if (this.unwritten.length === 0) return;
    if (this.hasRetried) return this.giveUp();
    this.hasRetried = true;
    this.connection = this.connect();
    for (const { atMs, blocks } of this.unwritten) {
      this.connection.startAt(atMs);
      for (const block of blocks) this.connection.send(block);
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
    if (!this.isClosed) this.parts.tell(event);
  }
}

function filled(writer: TurnWriter, voices: readonly UnwrittenVoice[]): TurnWriter {
  for (const { atMs, blocks } of voices) {
    writer.begin(atMs);
    for (const block of blocks) writer.add(block);
  }
  return writer;
}

/** One connection to a live engine. Only voices are sent, so it maps the times of words back to the call. */
class LiveConnection {
  /** How many turns had been finished before the one it transcribes; set when that is finished. */
  finished: { readonly afterTurns: number } | undefined;
  /** It failed, without a word of what it was sent. */
  hasFailedMute = false;
  private hasWords = false;
  /** Resolves once all its events were reported. */
  readonly over: Promise<void>;
  private connection: LiveHearing | undefined;
  private waiting: Int16Array[] = [];
  private isClosed = false;
  private sentMs = 0;
  private readonly places: { readonly sentMs: number; readonly atMs: number }[] = [];

  constructor(private readonly options: LiveConnectionOptions) {
    this.over = this.run();
  }

  /** The sound sent next was heard at this moment of the call. */
  startAt(atMs: number): void {
    this.places.push({ sentMs: this.sentMs, atMs });
    if (this.places.length > 1000) this.places.shift();
  }

  send(samples: Int16Array): void {
    if (this.finished || this.isClosed) return;
    const { sampleRate } = this.options.request;
    this.sentMs += (samples.length * 1000) / sampleRate;
    if (this.connection) return this.connection.push(samples);
    this.waiting.push(samples);
    let kept = this.waiting.reduce((sum, { length }) => sum + length, 0);
    while (kept > waitingSecondsMax * sampleRate) kept -= this.waiting.shift()?.length ?? 0;
  }

  /** No more sound follows: the engine finishes its transcript and closes the connection. */
  finish(afterTurns: number): void {
    this.finished = { afterTurns };
    this.connection?.finish();
  }

  close(): void {
    this.isClosed = true;
    this.connection?.close();
  }

  private async run(): Promise<void> {
    const { engine, request, tell, onEnd } = this.options;
    try {
      if (!engine.listen) throw new TypeError(`${engine.capabilities.provider} says that it is live and is not`);
      const connection = await engine.listen({ ...request, answerMs: liveAnswerMs(0) });
      if (this.isClosed) return connection.close();
      this.connection = connection;
      for (const samples of this.waiting.splice(0)) connection.push(samples);
      if (this.finished) connection.finish();
      for await (const event of connection.events) {
        this.hasWords ||= (event.kind === 'partial' || event.kind === 'final') && event.text !== '';
        if (!this.isClosed) tell(this.placed(event));
      }
    } catch {
      // The chain of engines has handled the failure; here only the end matters.
      this.hasFailedMute = !this.hasWords;
    }
    if (!this.isClosed) onEnd();
  }

  private placed(event: HearingEvent): HearingEvent {
    return event.kind === 'final' && event.words ? { ...event, words: event.words.map((word) => this.placedWord(word)) } : event;
  }

  private placedWord({ text, startMs, endMs }: TimedWord): TimedWord {
    const startAt = this.places.findLast(({ sentMs }) => sentMs <= startMs);
    const shiftMs = startAt ? startAt.atMs - startAt.sentMs : 0;
    return { text, startMs: startMs + shiftMs, endMs: endMs + shiftMs };
  }
}
