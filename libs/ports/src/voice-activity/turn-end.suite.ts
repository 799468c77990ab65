import type { TurnEnd } from './voice-activity';

/** The same words, spoken completely and broken off. */
interface SaidTwice {
  readonly finished: Int16Array;
  readonly brokenOff: Int16Array;
  readonly sampleRate: number;
}

/** The guarantees of the port, tested for any available engine. */
export function describeTurnEnd(name: string, create: () => TurnEnd | Promise<TurnEnd>, said: () => Promise<SaidTwice>): void {
  describe(`${name} as a judge of turns`, () => {
    let judge: TurnEnd;
    beforeAll(async () => {
      judge = await create();
    });
    afterAll(() => judge.close());

    it('believes in the end of a whole sentence sooner than in that of a broken one', async () => {
      const { finished, brokenOff, sampleRate } = await said();
      const whole = await judge.judge({ samples: finished, sampleRate });
      const part = await judge.judge({ samples: brokenOff, sampleRate });
      expect(whole).toBeGreaterThan(part ?? 1);
    });

    it('answers between 0 and 1 however short or long the sound is', async () => {
      const [sampleRate = 16_000] = judge.capabilities.sampleRates;
      for (const seconds of [0, 0.1, judge.capabilities.secondsMax, 2.5 * judge.capabilities.secondsMax]) {
        const probability = await judge.judge({ samples: new Int16Array(seconds * sampleRate), sampleRate });
        expect(probability).toBeGreaterThanOrEqual(0);
        expect(probability).toBeLessThanOrEqual(1);
      }
    });

    it('judges each sound by itself, though others are asked about at the same time', async () => {
      const { finished, brokenOff, sampleRate } = await said();
      const ask = (samples: Int16Array) => judge.judge({ samples, sampleRate });
      const [alone, other] = [await ask(finished), await ask(brokenOff)];
      const together = await Promise.all([ask(brokenOff), ask(finished), ask(brokenOff)]);
      [other, alone, other].forEach((expected, index) => expect(together[index]).toBeCloseTo(expected ?? -1, 1));
    });

    it('refuses a rate that it does not list', async () => {
      await expect(judge.judge({ samples: new Int16Array(100), sampleRate: 11_025 })).rejects.toThrow(RangeError);
    });
  });
}
