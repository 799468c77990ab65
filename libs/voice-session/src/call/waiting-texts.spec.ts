import type { EndReason } from '../session/events';
import { ScriptedCall } from '../scripted/scripted-call';

const long = 'We are open from nine to six on every day of the week but Sunday, and on holidays from ten to two.';
const answer = (): string => long;

const text = (scene: ScriptedCall, typed: string): void => scene.call.signal({ type: 'text', text: typed });
const keys = (scene: ScriptedCall, digits: string): void => {
  for (const digit of digits) scene.call.signal({ type: 'dtmf', digit });
};
const ignored = ({ line }: ScriptedCall): unknown[] => line.told('warning').filter(({ code }) => code === 'TEXT_IGNORED');
const asked = ({ generator }: ScriptedCall): string[] => generator.asked.map(({ question }) => question);

/** A call in which the agent speaks and may not be interrupted. */
async function speaking(script: ConstructorParameters<typeof ScriptedCall>[0] = {}): Promise<ScriptedCall> {
  const { settings, ...others } = script;
  const scene = new ScriptedCall({ answer, settings: { isInterruptible: false, ...settings }, ...others });
  await scene.says('when are you open');
  await scene.isSilent(2000);
  expect(scene.call.state.kind).toBe('speaking');
  return scene;
}

/** Waits for it in steps of 20 ms, for twenty seconds at most. */
async function untilSoon(scene: ScriptedCall, isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 1000 && !isSo(); n++) await scene.isSilent(20);
}

async function over(scene: ScriptedCall, reason: EndReason): Promise<void> {
  scene.call.end(reason);
  await scene.clock.pass(10_000);
  await expect(scene.call.finished).resolves.toEqual({ reason });
}

describe('texts that wait', () => {
  it.each([
    ['said first', ['never call me again', 'one', 'two']],
    ['typed first', ['one', 'two', 'never call me again']],
  ])('are answered, or kept if the session ends, in the order in which they came, %s', async (which, all) => {
    const begin = async (): Promise<ScriptedCall> => {
      const scene = await speaking();
      if (which === 'said first') await scene.says('never call me again');
      text(scene, 'one');
      text(scene, 'two');
      if (which === 'typed first') await scene.says('never call me again');
      return scene;
    };
    const ended = await begin();
    await over(ended, 'ENDED_BY_USER');
    expect(ended.generator.unanswered).toEqual(all);
    const told = await begin();
    told.call.creditsExhausted();
    await told.isSilent(20_000);
    expect(told.generator.unanswered).toEqual(all);
    const answered = await begin();
    await answered.isSilent(60_000);
    expect(asked(answered).slice(1)).toEqual(all);
    expect(ignored(answered)).toEqual([]);
  });

  it('do not wait for a noise that came before, whose words do', async () => {
    const scene = await speaking({ answer: () => long.repeat(2) });
    await scene.says('', 300);
    await scene.isSilent(1000);
    text(scene, 'one');
    await scene.says('and where are you');
    await scene.isSilent(60_000);
    expect(asked(scene).slice(1)).toEqual(['one', 'and where are you']);
  });

  it.each<EndReason>(['ENDED_BY_USER', 'CALL_ENDED', 'TRANSFERRED', 'FAILED'])(
    'stand in history as they came, before what was said, and are told, when the session ends as %s',
    async (reason) => {
      const scene = await speaking();
      text(scene, 'one');
      text(scene, 'two');
      await scene.says('never call me again');
      await over(scene, reason);
      expect(scene.generator.unanswered).toEqual(['one', 'two', 'never call me again']);
      expect(ignored(scene)).toHaveLength(2);
      expect(scene.line.frames.map(({ type }) => type).at(-1)).toBe('session.ended');
    },
  );

  it('behind an answer that is lost again and again are kept as well', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1500 } });
    for (let n = 0; n < 7; n++) text(scene, `question ${n}`);
    await scene.isSilent(3000);
    await over(scene, 'ENDED_BY_USER');
    expect(scene.generator.unanswered).toEqual(['question 4', 'question 5', 'question 6']);
    expect(ignored(scene)).toHaveLength(3);
  });

  it('stand behind the question that was on its way when the session ended', async () => {
    const order: string[] = [];
    const scene = await speaking({ generator: { begunMs: 400 } });
    const { generator } = scene;
    text(scene, 'one');
    text(scene, 'two');
    await untilSoon(scene, () => asked(scene).length === 2);
    generator.keepHeard = async ({ turnUUID }) => void order.push(turnUUID.slice(-1));
    generator.keepUnanswered = async (question) => void order.push(question);
    await over(scene, 'ENDED_BY_USER');
    expect(order).toEqual(['2', 'two']);
  });

  it.each([
    ['credits are used up', 'CREDITS_EXHAUSTED', (scene: ScriptedCall) => scene.call.creditsExhausted(), {}],
    ['the time is up', 'MAX_DURATION', () => undefined, { maxCallMs: 6000 }],
  ] as const)('are told at once when %s, and so are those that come after', async (_, reason, ends, settings) => {
    const scene = await speaking({ settings });
    text(scene, 'one');
    ends(scene);
    await untilSoon(scene, () => scene.generator.unanswered.length > 0);
    expect(scene.generator.unanswered).toEqual(['one']);
    expect(scene.call.state.kind).toBe('speaking');
    expect(ignored(scene)).toHaveLength(1);
    text(scene, 'two');
    await scene.isSilent(20_000);
    expect(scene.line.endedBecause).toBe(reason);
    expect(scene.generator.unanswered).toEqual(['one', 'two']);
    expect(ignored(scene)).toHaveLength(2);
  });

  it('are kept though they come when the session has ended, of which the client does not know yet', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 3000 } });
    await scene.says('please never call me again');
    scene.call.end('ENDED_BY_AGENT');
    text(scene, 'and one more question');
    await scene.clock.pass(10_000);
    await scene.call.finished;
    expect(scene.generator.unanswered).toEqual(['please never call me again', 'and one more question']);
    expect(ignored(scene)).toHaveLength(1);
  });

  it('are at most eight in history, of which the last were dropped, as is told', async () => {
    const scene = await speaking();
    for (let n = 0; n < 4; n++) text(scene, `question ${n}`);
    scene.call.creditsExhausted();
    for (let n = 4; n < 12; n++) text(scene, `question ${n}`);
    await over(scene, 'ENDED_BY_USER');
    expect(scene.generator.unanswered).toEqual(Array.from({ length: 8 }, (_, n) => `question ${n}`));
    expect(ignored(scene)).toHaveLength(12);
  });

  it('are answered once the agent was stopped', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1500 } });
    for (let n = 0; n < 5; n++) text(scene, `question ${n}`);
    await scene.isSilent(2500);
    scene.call.signal({ type: 'interrupt' });
    await scene.isSilent(100);
    expect(asked(scene).at(-1)).toBe('question 4');
  });

  it('go along with a session that moves before they are answered', async () => {
    const scene = await speaking({ answer: () => `${long} `.repeat(30) });
    text(scene, 'one');
    await scene.says('and where are you');
    expect(scene.call.continuation.waiting).toEqual(['one']);
    scene.call.drain();
    await scene.isSilent(61_000);
    expect(scene.line.endedBecause).toBe('DRAINED');
    text(scene, 'two');
    expect(scene.generator.unanswered).toEqual([]);
    expect(ignored(scene)).toEqual([]);
    const { waiting } = scene.call.continuation;
    expect(waiting).toEqual(['one', 'and where are you', 'two']);
    const next = new ScriptedCall({ settings: { ...scene.call.continuation, elapsedMs: 0 } });
    await next.isSilent(10_000);
    expect(asked(next)).toEqual(waiting);
    expect(next.call.continuation.waiting).toBeUndefined();
  });
});

describe('keys of an entry that is not complete', () => {
  it.each([
    ['4711', '(Keyed: ••••)'],
    ['1', '1'],
  ])('are kept when the caller hangs up (%s)', async (digits, question) => {
    const scene = new ScriptedCall({ keypad: true });
    await scene.isSilent(200);
    keys(scene, digits);
    await scene.isSilent(500);
    await over(scene, 'ENDED_BY_USER');
    expect(scene.generator.unanswered).toEqual([question]);
    keys(scene, '9');
    await scene.clock.pass(5000);
    expect(scene.generator.unanswered).toEqual([question]);
  });

  it('are no question of a machine that answered', async () => {
    const scene = new ScriptedCall({ keypad: true });
    keys(scene, '1');
    await over(scene, 'VOICEMAIL');
    expect(scene.generator.unanswered).toEqual([]);
  });

  it('are waited for before a session moves', async () => {
    const scene = new ScriptedCall({ keypad: true });
    keys(scene, '47');
    scene.call.drain();
    await scene.isSilent(2500);
    keys(scene, '11');
    await scene.isSilent(3100);
    expect(asked(scene)).toEqual(['(Keyed: ••••)']);
    await scene.isSilent(5000);
    expect(scene.line.endedBecause).toBe('DRAINED');
  });

  it('are waited for after a goodbye that may not be interrupted', async () => {
    const scene = new ScriptedCall({
      answer: (question) => (question === 'bye' ? 'Goodbye, and have a nice day.' : long),
      settings: { isInterruptible: false },
      generator: { wantsToEnd: true },
      keypad: true,
    });
    await scene.says('bye');
    await scene.isSilent(1500);
    keys(scene, '47');
    await scene.isSilent(3400);
    expect(asked(scene)).toEqual(['bye', '(Keyed: ••)']);
  });
});

describe('what is said over the last farewell', () => {
  it.each([
    ['and never call me again', ['and never call me again']],
    ['okay goodbye', []],
    ['okay', []],
  ])('stands in history, unless it is a farewell as well (%s)', async (words, kept) => {
    const scene = await speaking({ settings: { isInterruptible: true } });
    scene.call.creditsExhausted();
    await scene.says(words);
    expect(scene.line.endedBecause).toBeUndefined();
    await scene.isSilent(20_000);
    expect(scene.line.endedBecause).toBe('CREDITS_EXHAUSTED');
    expect(scene.generator.unanswered).toEqual(kept);
    expect(scene.line.told('agent.done').at(-1)?.text).toContain('I have to end our call here');
  });

  it('belongs to what the caller was saying before it', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 300 } });
    await scene.isSilent(200);
    await scene.says('I would like to know');
    scene.call.creditsExhausted();
    await scene.says('when you are open');
    await scene.isSilent(20_000);
    expect(scene.line.endedBecause).toBe('CREDITS_EXHAUSTED');
    expect(scene.generator.unanswered.join(' ')).toBe('I would like to know when you are open');
  });
});
