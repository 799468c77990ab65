import type { ServerFrame } from '@parley/contracts';
import type { HeardEvent } from '@parley/voice-session';

/** What a turn with a charge of its own used. */
interface UsedTurn {
  readonly chargeId: string;
  readonly tokens: number;
}

/** Most voices are transcribed before they last this long, and cost no signal. */
const undecidedStep = 3;

type Used = Extract<ServerFrame, { type: 'usage' }>['usage'];

/** Counts what a session uses: its sound in total, and everything since the last report. */
export class SessionUsage {
  readonly caller: HeardSound;
  private readonly untoldTurns: UsedTurn[] = [];
  private untoldTokens = 0;
  private untoldCharacters = 0;
  private toldSeconds = 0;
  private toldUndecided: number | undefined;
  private spokenSamples = 0;

  constructor(
    private readonly sampleRate: number,
    /** Called when a sentence was counted: near the end of the credits it may be the last. */
    private readonly onSentence: () => void = () => undefined,
  ) {
    this.caller = new HeardSound(sampleRate);
  }

  /** Everything heard and said so far. */
  get sound() {
    const { seconds: heardSeconds, isUnheard } = this.caller;
    return { heardSeconds, spokenSeconds: Math.round(this.spokenSamples / this.sampleRate), isUnheard };
  }

  tokens(count: number): void {
    this.untoldTokens += count;
  }

  /** A turn has ended, or is not to be charged: its tokens are not part of the session's other usage. */
  turn(turn: UsedTurn): void {
    this.untoldTurns.push(turn);
  }

  characters(count: number): void {
    this.untoldCharacters += count;
    this.onSentence();
  }

  spoken(samples: number): void {
    this.spokenSamples += samples;
  }

  /** The turns since the last report. */
  takeTurns(): UsedTurn[] {
    return this.untoldTurns.splice(0);
  }

  /**
   * Seconds that may be counted soon, if that has changed noticeably since it was last asked. The first answer says also that there are
   * none: the line before this one may have been lost amid a voice.
   */
  takeUndecided(): number | undefined {
    const { undecidedSeconds } = this.caller;
    const isNews =
      undecidedSeconds === 0 ? this.toldUndecided !== 0 : undecidedSeconds >= (this.toldUndecided ?? 0) + undecidedStep;
    if (!isNews) return undefined;
    this.toldUndecided = undecidedSeconds;
    return undecidedSeconds;
  }

  /** Everything else since the last report. */
  take(): Used {
    const { seconds } = this.caller;
    const used: Used = [
      { kind: 'STT_API', units: seconds - this.toldSeconds },
      { kind: 'TTS_API', units: this.untoldCharacters },
      { kind: 'TTT_API', units: this.untoldTokens },
    ];
    this.toldSeconds = seconds;
    this.untoldCharacters = 0;
    this.untoldTokens = 0;
    return used.filter(({ units }) => units > 0);
  }
}

/** A voice counts after this long if no engine has transcribed it or failed by then. */
const undecidedSecondsMax = 30;

/**
 * How much of a caller's sound counts as heard. A voice counts once it is transcribed, even if it has no words, and never if the
 * engine failed on it. After a failure nothing counts until words arrive again.
 */
export class HeardSound {
  private heard = 0;
  private undecided = 0;
  private hasLostRecognition = false;
  private hasFailed = false;
  private isVoice = false;
  private hasVoice = false;
  private hasWords = false;

  constructor(private readonly sampleRate: number) {}

  /** A second counts once it has begun. */
  get seconds(): number {
    return Math.ceil(this.heard / this.sampleRate);
  }

  /** A voice that is not transcribed yet. */
  get undecidedSeconds(): number {
    return this.hasLostRecognition ? 0 : Math.ceil(this.undecided / this.sampleRate);
  }

  /** Whether the caller spoke, but nothing was transcribed, because the engine failed or there is none. */
  get isUnheard(): boolean {
    return this.hasVoice && this.hasFailed && !this.hasWords;
  }

  push(samples: number): void {
    if (this.isVoice) this.undecided += samples;
    else if (!this.hasLostRecognition) this.heard += samples;
    if (!this.hasLostRecognition && this.undecided > undecidedSecondsMax * this.sampleRate) this.decide();
  }

  notice(event: HeardEvent): void {
    if (event.kind === 'speech-started') this.isVoice = this.hasVoice = true;
    else if (event.kind === 'recognition-failed') this.fail();
    else if (event.kind === 'partial' || event.kind === 'final') {
      const hasText = event.text.trim() !== '';
      if (!hasText && event.kind === 'partial') return;
      this.hasWords ||= hasText;
      if (hasText) this.hasLostRecognition = false;
      this.decide();
      if (event.kind === 'final') this.isVoice = false;
    }
  }

  /** Recognition could not be opened, so the caller is assumed to speak unheard. */
  noteUnavailable(): void {
    this.hasVoice = true;
    this.fail();
  }

  /** The line is over: an undecided voice counts. */
  conclude(): void {
    this.decide();
  }

  private fail(): void {
    this.hasLostRecognition = this.hasFailed = true;
    this.isVoice = false;
    this.undecided = 0;
  }

  private decide(): void {
    if (!this.hasLostRecognition) this.heard += this.undecided;
    this.undecided = 0;
  }
}
