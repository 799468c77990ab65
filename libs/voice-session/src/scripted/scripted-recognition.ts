import type { AudioRecognition, HeardEvent } from '../hearing/heard';

interface Script {
  readonly sampleRate: number;
  /** False: transcripts come only on request, as from an engine that takes whole recordings. */
  readonly guesses?: boolean;
  readonly startMs?: number;
  readonly stopMs?: number;
  /** When a requested final is reported; by default at once. */
  readonly answerAfter?: (tell: () => void) => void;
}

const voiceLoudness = 500;
const wordMs = 250;

/** Fake recognition: loud sound is a voice, and each voice is transcribed as the next text of a list. */
export class ScriptedRecognition implements AudioRecognition {
  /** The transcripts, one per voice. An empty text is a noise. */
  readonly script: string[] = [];
  ownSamples = 0;
  /** How often a judgement of the prosody was requested. */
  endsAsked = 0;
  private heardMs = 0;
  private loudMs = 0;
  private quietMs = 0;
  private startedAtMs: number | undefined;
  private said = '';
  private guessed = '';
  private turns = 0;

  constructor(
    private readonly listener: (event: HeardEvent) => void,
    private readonly options: Script,
  ) {}

  hear(samples: Int16Array): void {
    const blockMs = (samples.length * 1000) / this.options.sampleRate;
    const isLoud = samples.some((sample) => Math.abs(sample) > voiceLoudness);
    this.heardMs += blockMs;
    this.loudMs = isLoud ? this.loudMs + blockMs : 0;
    this.quietMs = isLoud ? 0 : this.quietMs + blockMs;
    const { startMs = 60, stopMs = 100 } = this.options;
    if (this.startedAtMs === undefined && this.loudMs >= startMs) this.begin(this.heardMs - this.loudMs);
    else if (this.startedAtMs !== undefined && this.quietMs >= stopMs) this.stop(this.heardMs - this.quietMs);
    if (this.startedAtMs !== undefined) this.guess(this.heardMs - this.startedAtMs);
  }

  noticeOwnVoice(samples: Int16Array): void {
    this.ownSamples += samples.length;
  }

  finishTurn(): void {
    const { said } = this;
    const afterTurns = this.turns++;
    this.said = '';
    if (this.options.answerAfter) this.options.answerAfter(() => this.listener({ kind: 'final', text: said, afterTurns }));
    else this.listener({ kind: 'final', text: said, afterTurns });
  }

  judgeEnd(): void {
    this.endsAsked += 1;
  }

  async finish(): Promise<void> {
    const { answerAfter } = this.options;
    this.finishTurn();
    if (answerAfter) await new Promise<void>(answerAfter);
  }

  close(): void {}

  /** Only piecewise recognition has to be asked for a partial. */
  guessNow(): void {
    if (this.options.guesses === false) this.listener({ kind: 'partial', text: this.said });
  }

  /** Reports whether it transcribes live. */
  introduce(): void {
    this.listener({ kind: 'writing', isLive: this.options.guesses !== false });
  }

  /** Emits an event that this fake does not derive from sound. */
  tell(event: HeardEvent): void {
    this.listener(event);
  }

  private begin(atMs: number): void {
    this.startedAtMs = atMs;
    this.guessed = '';
    const text = this.script.shift() ?? '';
    this.said = this.said ? `${this.said} ${text}` : text;
    this.listener({ kind: 'speech-started', atMs });
  }

  private stop(atMs: number): void {
    this.startedAtMs = undefined;
    if (this.options.guesses !== false && this.said) this.listener({ kind: 'partial', text: this.said });
    this.listener({ kind: 'speech-stopped', atMs });
  }

  private guess(voiceMs: number): void {
    if (this.options.guesses === false) return;
    const guess = this.said
      .split(' ')
      .slice(0, Math.floor(voiceMs / wordMs))
      .join(' ');
    if (guess && guess !== this.guessed) this.listener({ kind: 'partial', text: guess });
    this.guessed = guess;
  }
}
