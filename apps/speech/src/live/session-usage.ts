import type { ServerFrame } from '@parley/contracts';

type Used = Extract<ServerFrame, { type: 'usage' }>['usage'];

/** What a session has used and nobody has been told yet. */
export class SessionUsage {
  private untoldTokens = 0;
  private untoldCharacters = 0;
  private heardSamples = 0;
  private toldSeconds = 0;

  constructor(private readonly sampleRate: number) {}

  tokens(count: number): void {
    this.untoldTokens += count;
  }

  characters(count: number): void {
    this.untoldCharacters += count;
  }

  heard(samples: number): void {
    this.heardSamples += samples;
  }

  /** Everything since the last time. A second of sound counts once it has begun. */
  take(): Used {
    const seconds = Math.ceil(this.heardSamples / this.sampleRate);
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
