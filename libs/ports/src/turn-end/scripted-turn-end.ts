import type { TurnEnd, TurnEndCapabilities, TurnEndRequest } from './turn-end';

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
