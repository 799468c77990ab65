import type { ServerFrame } from '@parley/contracts';
import type { HeardEvent } from '@parley/voice-session';

type Used = Extract<ServerFrame, { type: 'usage' }>['usage'];

/** What a session uses: all of its sound, and what of everything was not reported yet. */
export class SessionUsage {
  readonly caller: HeardSound;
  private untoldTokens = 0;
  private untoldCharacters = 0;
  private toldSeconds = 0;
  private spokenSamples = 0;

  constructor(private readonly sampleRate: number) {
    this.caller = new HeardSound(sampleRate);
  }

  /** Everything that was heard and said by now. */
  get sound() {
    const { seconds: heardSeconds, isUnheard } = this.caller;
    return { heardSeconds, spokenSeconds: Math.round(this.spokenSamples / this.sampleRate), isUnheard };
  }

  tokens(count: number): void {
    this.untoldTokens += count;
  }

  characters(count: number): void {
    this.untoldCharacters += count;
  }

  spoken(samples: number): void {
    this.spokenSamples += samples;
  }

  /** Everything since the last report. */
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

/** Sound is charged after this long if no engine has either transcribed it or failed. */
const undecidedSecondsMax = 30;

/**
 * How much of a caller's sound is heard. A voice counts once its words are there or it turns out to have none, and not at all where
 * an engine failed on it; after a failure nothing counts until there are words again.
 */
export class HeardSound {
  private heard = 0;
  private undecided = 0;
  private isDeaf = false;
  private hasFailed = false;
  private isVoice = false;
  private hasVoice = false;
  private hasWords = false;

  constructor(private readonly sampleRate: number) {}

  /** A second counts once it has begun. */
  get seconds(): number {
    return Math.ceil(this.heard / this.sampleRate);
  }

  /** The caller spoke, and nothing of it was written down because an engine failed or there is none. */
  get isUnheard(): boolean {
    return this.hasVoice && this.hasFailed && !this.hasWords;
  }

  push(samples: number): void {
    if (this.isVoice) this.undecided += samples;
    else if (!this.isDeaf) this.heard += samples;
    if (!this.isDeaf && this.undecided > undecidedSecondsMax * this.sampleRate) this.decide();
  }

  notice(event: HeardEvent): void {
    if (event.kind === 'speech-started') this.isVoice = this.hasVoice = true;
    else if (event.kind === 'deaf') this.fail();
    else if (event.kind === 'partial' || event.kind === 'final') {
      const hasText = event.text.trim() !== '';
      if (!hasText && event.kind === 'partial') return;
      this.hasWords ||= hasText;
      if (hasText) this.isDeaf = false;
      this.decide();
      if (event.kind === 'final') this.isVoice = false;
    }
  }

  /** Recognition could not be opened, so nobody knows whether the caller speaks. */
  lack(): void {
    this.hasVoice = true;
    this.fail();
  }

  /** The line is over: a voice that no engine failed on counts. */
  conclude(): void {
    this.decide();
  }

  private fail(): void {
    this.isDeaf = this.hasFailed = true;
    this.isVoice = false;
    this.undecided = 0;
  }

  private decide(): void {
    if (!this.isDeaf) this.heard += this.undecided;
    this.undecided = 0;
  }
}
