import { Resampler } from '@parley/audio';
import { isBackchannel } from '../hearing/known-phrases';
import { ruleJudge } from '../hearing/rule-judge';
import { babble } from '../scripted/perfect-recognizer';
import { ScriptedCall } from '../scripted/scripted-call';
import type { SessionSettings } from '../session/settings';

const rules = { judge: ruleJudge, isBackchannel };
const text = 'We deliver within three working days to every town in the country. Is there anything else that you want to know?';
const idle = { afterMs: 8000, prompts: ['Are you still there?'], goodbye: '' };
const digits = 'nine eight seven six five four three two one zero'.split(' ');

interface Manner {
  readonly answerMs?: number;
  readonly answer?: (question: string) => string;
  readonly settings?: Partial<SessionSettings>;
}

const callOf = ({ answerMs = 250, answer = () => text, settings }: Manner = {}): ScriptedCall =>
  new ScriptedCall({ rules, answer, perfectRecognizer: { answerMs }, settings: { idle, ...settings } });

const asked = (scene: ScriptedCall): string[] =>
  scene.generator.asked.filter((_, at) => !scene.generator.discarded.includes(uuidOf(at))).map(({ question }) => question);

function uuidOf(at: number): string {
  return `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`;
}

/** Says a number digit by digit with such gaps. Returns how often the agent began to speak meanwhile. */
async function dictates(scene: ScriptedCall, gapMs: number, words = digits): Promise<number> {
  const before = scene.line.told('agent.audio.start').length;
  for (const [at, digit] of words.entries()) {
    if (at > 0) await scene.isSilent(gapMs);
    await scene.says(digit);
  }
  return scene.line.told('agent.audio.start').length - before;
}

/** After a number dictated piece by piece. */
async function afterDictation(manner: Manner = {}): Promise<ScriptedCall> {
  const scene = callOf(manner);
  await scene.isSilent(500);
  await dictates(scene, 400);
  await scene.isSilent(4500);
  return scene;
}

/** In the middle of an answer. */
async function speaking(manner: Manner = {}): Promise<ScriptedCall> {
  const scene = callOf(manner);
  await scene.isSilent(500);
  await scene.says('when do you deliver');
  await scene.isSilent(2500);
  expect(scene.call.state.kind).toBe('speaking');
  return scene;
}

function soundsSince(scene: ScriptedCall, fromMs: number): boolean {
  return scene.line
    .heard()
    .subarray(fromMs * 8)
    .some((sample) => sample !== 0);
}

// Recognition opens at once after the resampler was compiled, which takes time that the virtual clock does not wait for.
beforeAll(async () => (await Resampler.create(16_000, 8000)).close());

describe('a caller who is transcribed only at pauses', () => {
  it('is not talked over in an interruption longer than two seconds, even after dictation', async () => {
    const scene = await afterDictation();
    expect(scene.call.state.kind).toBe('speaking');
    await scene.says('no wait i meant the other one that you told me');
    const saidMs = scene.clock.now();
    expect(soundsSince(scene, saidMs - 2000)).toBe(false);
    await scene.isSilent(1500);
    expect(asked(scene).at(-1)).toBe('no wait i meant the other one that you told me');
  });

  it('is heard to the end in a turn of seven seconds with two pauses', async () => {
    const scene = await afterDictation({ answer: () => 'Fine.' });
    const beganMs = scene.clock.now();
    const [one, two, three] = [
      'i would like to know',
      'whether you could come to me tomorrow and',
      'bring the three tables that i saw in your shop on the corner of the market in the old town last week',
    ];
    await scene.says(one ?? '');
    await scene.isSilent(300);
    await scene.says(two ?? '');
    await scene.isSilent(300);
    await scene.says(three ?? '');
    expect(soundsSince(scene, beganMs)).toBe(false);
    await scene.isSilent(2500);
    expect(asked(scene).at(-1)).toBe([one, two, three].join(' '));
  });

  it.each([700, 1400, 2500])('loses no digit to an engine that takes %i ms', async (answerMs) => {
    const scene = callOf({ answerMs, answer: () => 'Thank you.', settings: { greeting: 'What is your phone number?' } });
    await scene.isSilent(2500);
    await dictates(scene, 900);
    await scene.isSilent(9000);
    expect(asked(scene).join(' ')).toBe(digits.join(' '));
  });

  it('is heard when interrupting, even if the engine takes longer than the agent waits', async () => {
    const scene = await speaking({ answerMs: 1800 });
    await scene.says('no wait');
    await scene.isSilent(4500);
    expect(asked(scene).at(-1)).toBe('no wait');
  });
});

describe('a number that the agent asked for', () => {
  const greeting = 'What is your phone number?';

  it.each([
    [800, 0],
    [1000, 0],
    [1250, 0],
    [1500, 0],
    [2000, 0],
  ])('may be said with gaps of %i ms between its digits', async (gapMs, falseStarts) => {
    const scene = callOf({ settings: { greeting }, answer: () => 'Thank you.' });
    await scene.isSilent(2500);
    expect(await dictates(scene, gapMs)).toBe(falseStarts);
    await scene.isSilent(4000);
    expect(asked(scene)).toEqual([digits.join(' ')]);
    // One at the end, not one per digit.
    expect(scene.generator.asked.length).toBeLessThanOrEqual(2);
  });

  it('is waited for longer after the caller was cut short', async () => {
    const scene = callOf({ settings: { greeting: 'What is your account number?' }, answer: () => 'Thank you.' });
    await scene.isSilent(2500);
    expect(await dictates(scene, 2600)).toBeLessThanOrEqual(1);
  });

  it('is answered soon once complete', async () => {
    const scene = callOf({ settings: { greeting }, answer: () => 'Thank you.' });
    await scene.isSilent(2500);
    await dictates(scene, 300);
    const endMs = scene.clock.now();
    await scene.isSilent(900);
    expect(soundsSince(scene, endMs)).toBe(true);
  });
});

describe('pauses in the middle of a sentence', () => {
  it.each([1000, 1500])('of %i ms are not talked over', async (pauseMs) => {
    const halves = [
      ['i would like to', 'book a table'],
      ['can you tell me when the', 'shop opens on sunday'],
      ['my order has not arrived and', 'i need it by friday'],
      ['i am calling because', 'the lamp is broken'],
    ] as const;
    for (const [first, second] of halves) {
      const scene = callOf({ answer: () => 'Fine.' });
      await scene.isSilent(500);
      await scene.says(first);
      await scene.isSilent(pauseMs);
      await scene.says(second);
      await scene.isSilent(2500);
      expect(asked(scene)).toEqual([`${first} ${second}`]);
    }
  });
});

describe('a voice that brings no words', () => {
  it.each([1500, 3000, 6000])('of %i ms lets the agent continue where it stopped', async (ms) => {
    const scene = await speaking({ settings: { idle: { ...idle, prompts: [] } } });
    await scene.hears(babble(ms));
    await scene.isSilent(12_000);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
    const loud = scene.line.heard().filter((sample) => sample !== 0).length;
    expect(loud).toBe(scene.synthesizer.words.slice(0, text.split(' ').length).reduce((sum, { samples }) => sum + samples, 0));
  });

  it('never silences the agent past the idle prompts, however long it lasts', async () => {
    const scene = await speaking();
    const quietMs = async (): Promise<number> => {
      let longest = 0;
      for (let frames = 0, quiet = 0; frames < 1500; frames++) {
        const fromMs = scene.clock.now();
        await scene.hears(babble(20));
        quiet = soundsSince(scene, fromMs) ? 0 : quiet + 20;
        longest = Math.max(longest, quiet);
        if (scene.line.endedBecause) break;
      }
      return longest;
    };
    expect(await quietMs()).toBeLessThanOrEqual(idle.afterMs + 500);
    expect(scene.synthesizer.asked.join(' ')).toContain('Are you still there?');
  });

  it('that keeps coming back does not delay the idle prompts', async () => {
    const scene = callOf();
    for (let i = 0; i < 12; i++) {
      await scene.hears(babble(400));
      await scene.isSilent(1200);
    }
    expect(scene.synthesizer.asked.join(' ')).toContain('Are you still there?');
  });
});

describe('during an answer that may not be interrupted', () => {
  const settings = { isInterruptible: false };

  it('speech is transcribed, kept and answered next', async () => {
    const scene = await speaking({ settings });
    await scene.says('what about sundays');
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    await scene.isSilent(11_000);
    expect(asked(scene)).toEqual(['when do you deliver', 'what about sundays']);
    await scene.isSilent(9000);
    await scene.says('thank you');
    await scene.isSilent(1500);
    expect(asked(scene)).toEqual(['when do you deliver', 'what about sundays', 'thank you']);
    expect(scene.line.told('transcript.final').map(({ text: said }) => said)).toContain('what about sundays');
  });

  it('backchannels are not answered', async () => {
    const scene = await speaking({ settings });
    await scene.says('okay');
    await scene.isSilent(12_000);
    expect(asked(scene)).toEqual(['when do you deliver']);
  });

  it('noise is not answered', async () => {
    const scene = await speaking({ settings });
    await scene.hears(babble(700));
    await scene.isSilent(9000);
    expect(asked(scene)).toEqual(['when do you deliver']);
  });
});

describe('our share of the silence before an answer', () => {
  it('is a quarter of a second at the median, beside a recognizer of 250 ms and a model of 300 that work during the wait', async () => {
    const questions = [
      'when do you deliver',
      'what does it cost',
      'i would like to book a table for tomorrow',
      'can you hear me',
      'my parcel has not arrived yet',
      'do you have the blue lamp',
      'yes please',
    ];
    const ours: number[] = [];
    for (const question of questions) {
      const scene = new ScriptedCall({
        rules,
        perfectRecognizer: { answerMs: 250 },
        generator: { firstTokenMs: 300 },
        synthesizer: { firstSoundMs: 40 },
      });
      await scene.isSilent(500);
      await scene.says(question);
      const endMs = scene.clock.now();
      await scene.isSilent(2000);
      const first = scene.line.heard().findIndex((sample) => sample !== 0) / 8;
      ours.push(first - endMs - 250 - 300);
    }
    ours.sort((one, other) => one - other);
    expect(ours[Math.floor(ours.length / 2)]).toBeLessThanOrEqual(250);
  });
});

describe('voices behind the caller', () => {
  const rooms = [
    { name: 'never pause', loudMs: 25_000, softMs: 0 },
    { name: 'pause like one who speaks', loudMs: 2500, softMs: 700 },
    { name: 'pause often', loudMs: 1200, softMs: 400 },
    { name: 'are single words', loudMs: 500, softMs: 500 },
  ];

  it.each(rooms)('that $name do not keep the caller waiting for an answer', async ({ loudMs, softMs }) => {
    const scene = callOf();
    await scene.hears(babble(Math.min(loudMs, 2000)));
    for (const said of ['when do you deliver to Pune', 'and what does it cost today']) {
      const before = scene.line.told('agent.audio.start').length;
      await scene.says(said);
      const saidMs = scene.clock.now();
      while (scene.line.told('agent.audio.start').length === before && scene.clock.now() < saidMs + 24_000) {
        await scene.hears(babble(Math.min(loudMs, 2500)));
        await scene.isSilent(softMs);
      }
      expect(scene.clock.now() - saidMs).toBeLessThanOrEqual(6500);
      await scene.isSilent(9000);
    }
    expect(asked(scene)).toEqual(['when do you deliver to Pune', 'and what does it cost today']);
  });

  /** A voice that goes on. Its short gaps remind the detector, which judges by loudness, of what silence is. */
  async function television(scene: ScriptedCall, seconds: number, loudness?: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await scene.hears(babble(900, loudness));
      await scene.isSilent(100);
    }
  }

  /** Waits among the voices until the agent says something new. */
  async function answered(scene: ScriptedCall): Promise<number> {
    const before = scene.line.told('agent.audio.start').length;
    const fromMs = scene.clock.now();
    while (scene.line.told('agent.audio.start').length === before && scene.clock.now() < fromMs + 24_000)
      await television(scene, 1);
    return scene.clock.now() - fromMs;
  }

  it.each([250, 1200])('that go on through the whole call hide nothing said later, to an engine of %i ms', async (answerMs) => {
    const questions = ['when do you deliver to Pune', 'and what does it cost today', 'who can help me on sunday', 'thank you'];
    const scene = callOf({ answerMs, answer: () => 'Let me see that for you now.' });
    await television(scene, 4);
    for (const said of questions) {
      await scene.says(said);
      expect(await answered(scene)).toBeLessThanOrEqual(4000 + 3 * answerMs);
      await television(scene, 5);
    }
    expect(asked(scene)).toEqual(questions);
  });

  it('that go on do not keep the caller from interrupting', async () => {
    const scene = callOf();
    await television(scene, 4);
    await scene.says('when do you deliver to Pune');
    await answered(scene);
    await television(scene, 3);
    await scene.says('no wait i meant the other town');
    await answered(scene);
    expect(asked(scene).at(-1)).toBe('no wait i meant the other town');
  });

  it('that go on but are softer do not keep the agent from falling silent at once', async () => {
    const [scene, softer] = [callOf(), 400];
    await television(scene, 4, softer);
    await scene.says('when do you deliver to Pune or to any other town near it');
    await television(scene, 7, softer);
    expect(scene.call.state.kind).toBe('speaking');
    const beganMs = scene.clock.now();
    await scene.says('no wait i meant the other town');
    expect(soundsSince(scene, beganMs + 600)).toBe(false);
    await television(scene, 5, softer);
    expect(asked(scene).at(-1)).toBe('no wait i meant the other town');
  });
});
