import fc from 'fast-check';
import { Resampler } from '@parley/audio';
import { ruleJudge } from '../hearing/rule-judge';
import { babble } from '../scripted/perfect-recognizer';
import { ScriptedCall } from '../scripted/scripted-call';

const step = fc.record({
  does: fc.constantFrom('says' as const, 'says' as const, 'says' as const, 'types' as const, 'is noisy' as const),
  words: fc.integer({ min: 1, max: 20 }),
  /** Long enough for idle prompts, over which the next step may fall. */
  pauseMs: fc.integer({ min: 60, max: 13_000 }),
});
const story = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  /** Of the recognizer, one request after the other. */
  answersMs: fc.array(fc.oneof(fc.constant(250), fc.integer({ min: 500, max: 9000 })), { minLength: 1, maxLength: 12 }),
  afterMs: fc.constantFrom(2000, 3000, 8000),
  greeting: fc.constantFrom('', 'Hello! How can I help you today?'),
  isInterruptible: fc.boolean(),
  answerWords: fc.integer({ min: 1, max: 60 }),
});
type Story = typeof story extends fc.Arbitrary<infer One> ? One : never;
type Step = Story['steps'][number];

function sceneOf({ answersMs, afterMs, greeting, isInterruptible, answerWords }: Omit<Story, 'steps'>): ScriptedCall {
  let requests = 0;
  return new ScriptedCall({
    settings: { greeting, isInterruptible, idle: { afterMs, prompts: ['Still there?', 'Hello?'], goodbye: 'Bye.' } },
    rules: { judge: ruleJudge },
    answer: () => `${Array.from({ length: answerWords }, (_, at) => `answer${at}`).join(' ')}.`,
    generator: { firstTokenMs: 300 },
    perfectRecognizer: { answerMs: () => answersMs[requests++ % answersMs.length] ?? 0 },
  });
}

/** The words that were said or typed while the call lasted, each another. */
async function tell(scene: ScriptedCall, steps: readonly Step[]): Promise<string[]> {
  const told: string[] = [];
  const goesOn = (): boolean => scene.call.state.kind !== 'ended';
  for (const { does, words, pauseMs } of steps) {
    if (!goesOn()) break;
    const spoken = Array.from({ length: words }, (_, at) => `word${told.length + at}`);
    if (does === 'is noisy') await scene.hears(babble(words * 300));
    else if (does === 'types') scene.call.signal({ type: 'text', text: spoken.join(' ') });
    else await scene.says(spoken.join(' '));
    if (does !== 'is noisy' && goesOn()) told.push(...spoken);
    await scene.isSilent(pauseMs);
  }
  await scene.isSilent(500_000);
  return told;
}

// Recognition opens at once after the resampler was compiled, which takes time that the virtual clock does not wait for.
beforeAll(async () => (await Resampler.create(16_000, 8000)).close());

describe('a recognizer that takes whole recordings and answers late', () => {
  async function check({ steps, ...nature }: Story): Promise<void> {
    const scene = sceneOf(nature);
    const told = await tell(scene, steps);
    const { asked, discarded, unanswered } = scene.generator;
    const answered = asked.filter((_, at) => !discarded.some((turnUUID) => turnUUID.endsWith(String(at + 1).padStart(12, '0'))));
    const kept = new Set([...answered.map(({ question }) => question), ...unanswered].join(' ').split(' '));
    expect(told.filter((word) => !kept.has(word))).toEqual([]);
    // Where there is only noise, the call ends after its idle prompts, and somebody may speak just then.
    if (!steps.some(({ does }) => does === 'is noisy')) expect(unanswered).toEqual([]);
  }

  it('loses no word, and nobody is hung up on who is still being transcribed', async () => {
    await fc.assert(fc.asyncProperty(story, check), { numRuns: 400 });
  }, 500_000);

  it.each([
    ['a text', (scene: ScriptedCall) => scene.call.signal({ type: 'text', text: 'in red' })],
    ['a key', (scene: ScriptedCall) => scene.call.signal({ type: 'dtmf', digit: '4' })],
  ])('puts %s behind the words that it follows, in one question', async (what, typed) => {
    for (const answerMs of [250, 1000, 2000, 4500]) {
      for (const pauseMs of [200, 300, 600]) {
        const scene = new ScriptedCall({ rules: { judge: ruleJudge }, perfectRecognizer: { answerMs } });
        await scene.isSilent(300);
        await scene.says('my order never came');
        await scene.isSilent(200);
        await scene.says('i want another one');
        await scene.isSilent(pauseMs);
        typed(scene);
        await scene.isSilent(12_000);
        const { asked, discarded } = scene.generator;
        const answered = asked.slice(discarded.length).map(({ question }) => question);
        const isAnsweredBefore = answerMs < pauseMs;
        const expected = `my order never came i want another one ${what === 'a key' ? '4' : 'in red'}`;
        expect([answerMs, pauseMs, answered.at(-1)]).toEqual([answerMs, pauseMs, expected]);
        if (!isAnsweredBefore) expect(answered).toHaveLength(1);
      }
    }
  });

  const usual: Omit<Story, 'steps'> = { answersMs: [500], afterMs: 3000, greeting: '', isInterruptible: false, answerWords: 1 };
  const says = (words: number, pauseMs: number): Step => ({ does: 'says', words, pauseMs });

  it.each<[string, Partial<Story> & Pick<Story, 'steps'>]>([
    ['a clause after a short pause, while the transcript of the first is under way', { steps: [says(1, 241), says(1, 60)] }],
    ['what was said after a provisional transcript', { steps: [says(12, 60)], answersMs: [250, 3421] }],
    ['a sentence that was taken for noise', { steps: [says(20, 60)], answersMs: [3000] }],
    ['what was said before, while the caller is asked to wait', { steps: [says(1, 3521), says(1, 60)], answersMs: [3501] }],
    ['what was said before a text', { steps: [says(1, 281), { does: 'types', words: 1, pauseMs: 261 }, says(1, 60)] }],
  ])('does not lose %s', async (_, its) => {
    await check({ ...usual, ...its });
  });
});
