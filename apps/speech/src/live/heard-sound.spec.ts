import fc from 'fast-check';
import { HeardSound } from './line-hearing';

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

/** What is owed for a call, told of each second; nothing that was told is taken back. */
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
    if (came === 'a failure') sound.notice({ kind: 'deaf', code });
    sound.notice({ kind: 'final', text: came === 'words' ? 'when do you open' : '' });
    listen(silenceSeconds);
  }
  sound.conclude();
  return { owed: sound.seconds, sound };
}

describe('the sound of a caller', () => {
  it('is owed for where engines did their work, and in no second where they failed, however a call goes', () => {
    fc.assert(
      fc.property(fc.array(utterance, { maxLength: 12 }), (utterances) => {
        let isDeaf = false;
        let produced = 0;
        for (const { voiceSeconds, silenceSeconds, came } of utterances) {
          isDeaf = came === 'a failure' || (isDeaf && came !== 'words');
          if (!isDeaf) produced += voiceSeconds + silenceSeconds;
        }
        const { owed, sound } = owedFor(utterances);
        expect(owed).toBe(produced);
        const outcomes = utterances.map(({ came }) => came);
        expect(sound.isUnheard).toBe(outcomes.includes('a failure') && !outcomes.includes('words'));
      }),
    );
  });

  it('is owed for while it lasts longer than anybody says without a word of it being written', () => {
    const sound = new HeardSound(rate);
    sound.notice({ kind: 'speech-started', atMs: 0 });
    for (let second = 0; second < 100; second += 1) sound.push(rate);
    expect(sound.seconds).toBeGreaterThanOrEqual(62);
  });

  it('is nobody’s failure where the caller keeps silent, and is one where no ears could be opened', () => {
    const silent = new HeardSound(rate);
    silent.notice({ kind: 'deaf', code });
    silent.push(60 * rate);
    expect([silent.seconds, silent.isUnheard]).toEqual([0, false]);
    const without = new HeardSound(rate);
    without.lack();
    without.push(60 * rate);
    expect([without.seconds, without.isUnheard]).toEqual([0, true]);
  });
});
