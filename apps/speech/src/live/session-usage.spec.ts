import fc from 'fast-check';
import { HeardSound, SessionUsage } from './session-usage';

const rate = 8000;
const code = 'SPEECH_PROVIDER_UNAVAILABLE';

interface Utterance {
  readonly voiceSeconds: number;
  readonly silenceSeconds: number;
  readonly came: 'words' | 'nothing' | 'a failure';
}

const utterance: fc.Arbitrary<Utterance> = fc.record({
  voiceSeconds: fc.integer({ min: 1, max: 25 }),
  silenceSeconds: fc.integer({ min: 0, max: 10 }),
  came: fc.constantFrom('words', 'nothing', 'a failure'),
});

/** The seconds to charge for a call, checked every second; none is ever taken back. */
function owedFor(utterances: readonly Utterance[]): { owed: number; sound: HeardSound } {
  const sound = new HeardSound(rate);
  let owed = 0;
  const listen = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      sound.push(rate);
      expect(sound.seconds).toBeGreaterThanOrEqual(owed);
      owed = sound.seconds;
    }
  };
  for (const { voiceSeconds, silenceSeconds, came } of utterances) {
    sound.notice({ kind: 'speech-started', atMs: 0 });
    listen(voiceSeconds);
    sound.notice({ kind: 'speech-stopped', atMs: 0 });
    if (came === 'a failure') sound.notice({ kind: 'recognition-failed', code });
    sound.notice({ kind: 'final', text: came === 'words' ? 'when do you open' : '' });
    listen(silenceSeconds);
  }
  sound.conclude();
  return { owed: sound.seconds, sound };
}

describe('sound from a caller', () => {
  it('is charged where engines worked, and not where they failed, in any call', () => {
    fc.assert(
      fc.property(fc.array(utterance, { maxLength: 12 }), (utterances) => {
        let hasLostRecognition = false;
        let produced = 0;
        for (const { voiceSeconds, silenceSeconds, came } of utterances) {
          hasLostRecognition = came === 'a failure' || (hasLostRecognition && came !== 'words');
          if (!hasLostRecognition) produced += voiceSeconds + silenceSeconds;
        }
        const { owed, sound } = owedFor(utterances);
        expect(owed).toBe(produced);
        const outcomes = utterances.map(({ came }) => came);
        expect(sound.isUnheard).toBe(outcomes.includes('a failure') && !outcomes.includes('words'));
      }),
    );
  });

  it('is charged for longer than any sentence lasts, even if nothing of it was transcribed', () => {
    const sound = new HeardSound(rate);
    sound.notice({ kind: 'speech-started', atMs: 0 });
    for (let second = 0; second < 100; second += 1) sound.push(rate);
    expect(sound.seconds).toBeGreaterThanOrEqual(62);
  });

  it('is no failure if the caller is silent, but is one if no engine could be opened', () => {
    const silent = new HeardSound(rate);
    silent.notice({ kind: 'recognition-failed', code });
    silent.push(60 * rate);
    expect([silent.seconds, silent.isUnheard]).toEqual([0, false]);
    const without = new HeardSound(rate);
    without.noteUnavailable();
    without.push(60 * rate);
    expect([without.seconds, without.isUnheard]).toEqual([0, true]);
  });
});

it('tells of each sentence at once', () => {
  const told: object[] = [];
  const usage: SessionUsage = new SessionUsage(rate, () => void told.push(...usage.take()));
  usage.characters(240);
  usage.characters(12);
  expect(told).toEqual([
    { kind: 'TTS_API', units: 240 },
    { kind: 'TTS_API', units: 12 },
  ]);
});

describe('a voice that is not transcribed yet', () => {
  it.each([
    ['transcribed', 'when do you open'],
    ['without words', ''],
  ])('is named while it lasts, and no more once it is %s', (_, text) => {
    const usage = new SessionUsage(rate);
    const tell = (): number | undefined => {
      usage.caller.push(rate);
      return usage.takeUndecided();
    };
    expect([tell(), tell()]).toEqual([0, undefined]);
    usage.caller.notice({ kind: 'speech-started', atMs: 2000 });
    expect(Array.from({ length: 10 }, tell)).toEqual([
      undefined,
      undefined,
      3,
      undefined,
      undefined,
      6,
      undefined,
      undefined,
      9,
      undefined,
    ]);
    expect(usage.take()).toEqual([{ kind: 'STT_API', units: 2 }]);
    usage.caller.notice({ kind: 'final', text });
    expect([tell(), tell()]).toEqual([0, undefined]);
    expect(usage.take()).toEqual([{ kind: 'STT_API', units: 12 }]);
  });

  it('is not named where no engine can transcribe it', () => {
    const usage = new SessionUsage(rate);
    usage.caller.notice({ kind: 'speech-started', atMs: 0 });
    usage.caller.noteUnavailable();
    usage.caller.push(20 * rate);
    expect([usage.takeUndecided(), usage.takeUndecided()]).toEqual([0, undefined]);
  });
});
