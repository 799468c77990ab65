import {
  liveAnswerMs,
  nobodyWaits,
  type SpeechToText,
  type SpokenLanguage,
  type TimedWord,
  type Transcription,
} from '@parley/ports';
import { LiveWriter, NullWriter, transcriptionFailedCode, type TurnWriter, type WrittenEvent } from './live-writer';

interface PieceRequest {
  readonly engine: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
}

/** A voice that resumes within this time continues the same piece, since engines transcribe whole phrases best. */
const samePieceMs = 700;
const pieceSecondsMax = 30;
/** How much of a sound without words is transcribed again with what follows: a word may have begun in it. */
const wordlessKeptSeconds = 2;
/** How much sound is kept while the engine is behind. Beyond that it is dropped, which is reported. */
const keptSecondsMax = 120;

/** Transcribes each piece when the voice pauses, by an engine that takes whole recordings. */
class PiecewiseWriter implements TurnWriter {
  private pieces: RecordedPiece[] = [];
  private finishing: Promise<void> = Promise.resolve();
  private finishingSeconds = 0;
  private endMs = Number.NEGATIVE_INFINITY;
  private isBehind = false;
  private isGuessing = false;
  private isJoined = false;
  private isClosed = false;

  constructor(
    private readonly request: PieceRequest,
    private readonly tell: (event: WrittenEvent) => void,
    /** Turns that were finished. */
    private turns = 0,
  ) {}

  begin(atMs: number): void {
    const last = this.pieces.at(-1);
    this.isJoined = last !== undefined && atMs - this.endMs < samePieceMs;
    if (this.isJoined) return;
    this.pieces.push(new RecordedPiece(atMs, this.request));
    this.endMs = atMs;
  }

  add(samples: Int16Array): void {
    let piece = this.pieces.at(-1);
    if (!piece) return;
    if (this.keptSeconds >= keptSecondsMax) return this.reportBehind();
    this.isBehind = false;
    if (piece.seconds >= this.secondsMax) {
      this.write(piece);
      piece = new RecordedPiece(this.endMs, this.request);
      this.pieces.push(piece);
    }
    piece.add(samples);
    this.endMs += (samples.length * 1000) / this.request.sampleRate;
  }

  pause(): void {
    const piece = this.pieces.at(-1);
    if (piece) this.write(piece);
  }

  drop(): void {
    if (this.isJoined) return this.pause();
    this.pieces.pop()?.release();
  }

  finishTurn(): Promise<void> {
    const { pieces } = this;
    const afterTurns = this.turns++;
    this.pieces = [];
    const seconds = pieces.reduce((sum, piece) => sum + piece.seconds, 0);
    this.finishingSeconds += seconds;
    const written = Promise.allSettled(pieces.map((piece) => piece.write()));
    // One after the other, so that transcripts are reported in order.
    this.finishing = this.finishing.then(async () => {
      const outcomes = await written;
      this.finishingSeconds -= seconds;
      if (outcomes.some(({ status }) => status === 'rejected'))
        this.say({ kind: 'recognition-failed', code: transcriptionFailedCode });
      this.say({ kind: 'final', ...textOf(pieces), ...wordsOf(pieces), afterTurns });
      for (const piece of pieces) piece.release();
    });
    return this.finishing;
  }

  /** A partial is a separate request, so only one is made at a time. If it fails, none is reported. */
  guess(): void {
    const { pieces } = this;
    const last = pieces.at(-1);
    if (this.isGuessing) return;
    if (!last) return this.say({ kind: 'partial', text: '' });
    this.isGuessing = true;
    last
      .guess()
      .then(
        (guess) => {
          if (pieces !== this.pieces) return;
          const before = textOf(pieces.slice(0, pieces.indexOf(last)));
          const { text, untilMs, samples } = guess;
          if (!text) last.forget(samples - wordlessKeptSeconds * this.request.sampleRate);
          this.say({
            kind: 'partial',
            ...before,
            text: `${before.text} ${text}`.trim(),
            ...(untilMs !== undefined && { atMs: untilMs }),
          });
        },
        () => undefined,
      )
      .finally(() => (this.isGuessing = false));
  }

  close(): void {
    this.isClosed = true;
    for (const piece of this.pieces) piece.release();
  }

  private get secondsMax(): number {
    return Math.min(pieceSecondsMax, this.request.engine.capabilities.secondsMax);
  }

  private get keptSeconds(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.seconds, this.finishingSeconds);
  }

  private write(piece: RecordedPiece): void {
    const { pieces } = this;
    piece.write().then(
      () => {
        if (pieces !== this.pieces || !pieces.some(({ text }) => text)) return;
        this.say({ kind: 'partial', ...textOf(pieces) });
      },
      () => {
        // `finishTurn` tries again, and reports the failure if it persists.
      },
    );
  }

  /** Reports dropped sound once, not for every block. */
  private reportBehind(): void {
    if (!this.isBehind) this.say({ kind: 'recognition-failed', code: transcriptionFailedCode });
    this.isBehind = true;
  }

  private say(event: WrittenEvent): void {
    if (!this.isClosed) this.tell(event);
  }
}

function textOf(pieces: readonly RecordedPiece[]): { readonly text: string; readonly language?: SpokenLanguage } {
  const text = pieces
    .map((piece) => piece.text)
    .filter(Boolean)
    .join(' ');
  const language = pieces.findLast((piece) => piece.text)?.language;
  return { text, ...(language && { language }) };
}

function wordsOf(pieces: readonly RecordedPiece[]): Pick<RecordedPiece, 'words'> | undefined {
  const words = pieces.flatMap((piece) => piece.words);
  return words.length > 0 ? { words } : undefined;
}

const repeatedWordsMin = 3;
const repeatedWordsMax = 12;
const repetitionsMin = 4;

/** A recognizer that finds no words in babble may repeat a phrase without end, which nobody has said. What precedes that is kept. */
function withoutEndlessPhrase(text: string): string {
  const words = text.trim().split(/\s+/u);
  const plain = words.map((word) => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''));
  for (let length = repeatedWordsMin; length <= repeatedWordsMax; length++) {
    let run = 0;
    for (let at = length; at < plain.length; at++) {
      run = plain[at] === plain[at - length] ? run + 1 : 0;
      if (run < length * (repetitionsMin - 1)) continue;
      // Many zeros in a row are a number.
      if (new Set(plain.slice(at - length, at)).size >= repeatedWordsMin) return words.slice(0, at + 1 - run - length).join(' ');
    }
  }
  return words.join(' ');
}

/** The sound between two longer pauses, and its transcript. */
class RecordedPiece {
  text = '';
  language: SpokenLanguage | undefined;
  words: readonly TimedWord[] = [];
  private blocks: Int16Array[] = [];
  private samples = 0;
  private asking: AbortController | undefined;
  private guessing: AbortController | undefined;
  /** The last requested transcript. Rejects with the engine's failure. */
  written: Promise<void> = Promise.resolve();

  constructor(
    private startMs: number,
    private readonly request: PieceRequest,
  ) {}

  get seconds(): number {
    return this.samples / this.request.sampleRate;
  }

  /** Adds sound, which makes a transcript in progress obsolete. */
  add(samples: Int16Array): void {
    this.asking?.abort(nobodyWaits);
    this.asking = undefined;
    this.blocks.push(samples);
    this.samples += samples.length;
  }

  /** Transcribes the piece as it stands. Calling it again does nothing, unless the engine failed. */
  write(): Promise<void> {
    if (this.asking) return this.written;
    this.asking = new AbortController();
    this.written = this.transcribe(this.asking.signal);
    // Whoever awaits it later gets the failure; until then it must not count as an unhandled rejection.
    this.written.catch(() => undefined);
    return this.written;
  }

  /** The piece is done: drops its sound. */
  release(): void {
    this.asking?.abort(nobodyWaits);
    this.guessing?.abort(nobodyWaits);
    this.blocks = [];
  }

  /** Drops this much of its beginning, a whole block at a time. */
  forget(samples: number): void {
    let forgotten = 0;
    for (let [first] = this.blocks; first && forgotten + first.length <= samples; [first] = this.blocks) {
      forgotten += first.length;
      this.blocks.shift();
    }
    this.samples -= forgotten;
    this.startMs += (forgotten * 1000) / this.request.sampleRate;
  }

  /** The transcript so far, which does not change the piece. */
  async guess(): Promise<{ text: string; untilMs: number | undefined; samples: number }> {
    this.guessing = new AbortController();
    const { samples, startMs } = this;
    const { text, words } = await this.ask(this.guessing.signal);
    const last = words?.at(-1);
    return { text: withoutEndlessPhrase(text), untilMs: last && last.endMs + startMs, samples };
  }

  private ask(signal: AbortSignal): Promise<Transcription> {
    const { engine, ...request } = this.request;
    const blocks = [...this.blocks];
    const audio = async function* () {
      yield* blocks;
    };
    const answerMs = liveAnswerMs(this.seconds * 1000);
    return engine.transcribe({ ...request, audio, words: engine.capabilities.wordTimings, answerMs, signal });
  }

  private async transcribe(signal: AbortSignal): Promise<void> {
    const { startMs: pieceMs } = this;
    try {
      const heard = await this.ask(signal);
      if (signal.aborted) return;
      this.text = withoutEndlessPhrase(heard.text);
      this.language = heard.language;
      this.words = (heard.words ?? []).map(({ text, startMs, endMs }) => ({
        text,
        startMs: startMs + pieceMs,
        endMs: endMs + pieceMs,
      }));
    } catch (failure) {
      if (signal.aborted) return;
      this.asking = undefined;
      throw failure;
    }
  }
}

interface WriterOptions {
  readonly speechToText?: SpeechToText;
  readonly sampleRate: number;
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly hearsLive: boolean;
}

/** Opens a writer: live if the engine can, otherwise one that transcribes at pauses. */
export function openWriter(
  { speechToText: engine, hearsLive, ...request }: WriterOptions,
  tell: (event: WrittenEvent) => void,
): TurnWriter {
  // Without an engine no transcript is expected, so no failure is reported.
  if (!engine) return new NullWriter(tell);
  if (engine.capabilities.unavailable !== undefined) {
    tell({ kind: 'recognition-failed', code: transcriptionFailedCode });
    return new NullWriter(tell);
  }
  const piecewise = (turns = 0): TurnWriter => new PiecewiseWriter({ ...request, engine }, tell, turns);
  if (hearsLive) return new LiveWriter(engine, { ...request, words: engine.capabilities.wordTimings }, { tell, piecewise });
  return piecewise();
}

/** Whether this engine transcribes live at this rate. */
export function isLive(engine: SpeechToText | undefined, sampleRate: number): boolean {
  if (!engine?.listen || engine.capabilities.unavailable !== undefined) return false;
  return engine.capabilities.live && engine.capabilities.sampleRates.includes(sampleRate);
}
