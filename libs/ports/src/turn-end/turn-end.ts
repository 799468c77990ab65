/** What a judge of turns by their sound can do. */
export interface TurnEndCapabilities {
  readonly provider: string;
  readonly sampleRates: readonly number[];
  /** How much of the end of a turn is examined; the rest need not be kept. */
  readonly secondsMax: number;
  /** Why it cannot judge on this installation, and what would change that. Absent when it can. */
  readonly unavailable?: string;
}

export interface TurnEndRequest {
  /** The turn's speech, 16-bit mono, up to the pause in question. */
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** Tells from a turn's sound, its intonation and pace, whether the speaker has finished. */
export interface TurnEnd {
  readonly capabilities: TurnEndCapabilities;
  /**
   * From 0, unfinished, to 1, finished. Undefined when no result can be had in time: a waiting caller is not delayed for it.
   * Rejects only for an unlisted rate.
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
