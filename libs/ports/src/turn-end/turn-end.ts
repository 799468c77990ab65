/** What a judge of turns by their sound can do. */
export interface TurnEndCapabilities {
  readonly provider: string;
  readonly sampleRates: readonly number[];
  /** How much of the end of a turn it looks at: more need not be kept. */
  readonly secondsMax: number;
  /** Why it cannot judge on this installation, and what would change that. Absent when it can. */
  readonly unavailable?: string;
}

export interface TurnEndRequest {
  /** What was said in this turn, 16-bit mono, up to the pause that is asked about. */
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** Tells by the sound of a turn, its intonation and its pace, whether whoever paused has finished. */
export interface TurnEnd {
  readonly capabilities: TurnEndCapabilities;
  /**
   * From 0, more will be said, to 1, they have finished. Undefined where nobody can tell soon enough to be of use: a caller who
   * waits for an answer is not made to wait for a judge. Rejects only at a rate that is not listed.
   */
  judge(request: TurnEndRequest): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A fake judge: answers from a list, and takes a turn that ends loudly for unfinished once the list is empty. */
export class ScriptedTurnEnd implements TurnEnd {
  readonly capabilities: TurnEndCapabilities = { provider: 'scripted', sampleRates: [8000, 16_000], secondsMax: 8 };
  /** How long each sound was that came to be judged. */
  readonly heardSeconds: number[] = [];

  constructor(private readonly script: (number | undefined)[] = []) {}

  async judge({ samples, sampleRate }: TurnEndRequest): Promise<number | undefined> {
    if (!this.capabilities.sampleRates.includes(sampleRate)) throw new RangeError(`scripted does not judge ${sampleRate} Hz`);
    this.heardSeconds.push(samples.length / sampleRate);
    if (this.script.length > 0) return this.script.shift();
    return samples.slice(-sampleRate / 10).some((sample) => Math.abs(sample) > 1000) ? 0.1 : 0.9;
  }

  async close(): Promise<void> {}
}
