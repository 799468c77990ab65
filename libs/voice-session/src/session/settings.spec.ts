import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultRuntimeSettings, RuntimeSettings } from '@parley/contracts';
import { sessionSettingsOf } from './settings';

const words = ['MOST_EAGER', 'EAGER', 'BALANCED', 'PATIENT', 'MOST_PATIENT'] as const;
const call = {
  sessionUUID: '6f0a5a44-8f5e-4f0e-9d0f-3f5b6a1c2d3e',
  sampleRate: 8000,
  language: 'english',
  greeting: '',
} as const;

/** The four numbers that a session goes by. */
function numbersOf(sent: object): number[] {
  const runtime = RuntimeSettings.parse({ ...defaultRuntimeSettings(1), ...sent });
  const { endOfTurn, interruption } = sessionSettingsOf(runtime, call);
  return [endOfTurn.silenceMs, endOfTurn.dictationSilenceMs, interruption.minSpeechMs, interruption.minWords];
}

describe('the patience of an agent', () => {
  it('is that of its four numbers where none is set', () => {
    expect(numbersOf({ EndOfTurn: { silenceMs: 700 }, Interruption: { minWords: 3 } })).toEqual([700, 1500, 300, 3]);
  });

  it('stands for the default numbers in the middle, whatever the four numbers are', () => {
    expect(numbersOf({ Patience: 'BALANCED', EndOfTurn: { silenceMs: 700 }, Interruption: { minWords: 3 } })).toEqual(
      numbersOf({}),
    );
  });

  it('grows in each number from the most eager to the most patient, all of which an agent could set itself', () => {
    const steps = words.map((Patience) => numbersOf({ Patience }));
    expect(new Set(steps.map(String)).size).toBe(5);
    for (const [at, [silenceMs, dictationSilenceMs, minSpeechMs, minWords]] of steps.entries()) {
      for (const [of, number] of (steps[at - 1] ?? []).entries()) expect(steps[at]?.[of]).toBeGreaterThanOrEqual(number);
      const own = { EndOfTurn: { silenceMs, dictationSilenceMs }, Interruption: { minSpeechMs, minWords } };
      expect(numbersOf(own)).toEqual(steps[at]);
      expect(dictationSilenceMs).toBeGreaterThanOrEqual(silenceMs ?? 0);
    }
  });

  it('is what docs/voice.md says', () => {
    const text = readFileSync(path.resolve(__dirname, '../../../../docs/voice.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` ((?:\| \d+ ){4})\|$/gmu)].map(([, word, row = '']) => [
      word,
      ...(row.match(/\d+/gu) ?? []).map(Number),
    ]);
    expect(rows).toEqual(words.map((Patience) => [Patience, ...numbersOf({ Patience })]));
  });
});
