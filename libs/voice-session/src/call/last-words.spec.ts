import { ScriptedCall } from '../scripted/scripted-call';

/** A question of which the session ended before it was answered. */
const kept = ({ generator }: ScriptedCall): string[] => [...generator.unanswered];
const over = async (scene: ScriptedCall): Promise<void> => {
  scene.call.end('CALL_ENDED');
  await scene.clock.pass(10_000);
  await expect(scene.call.finished).resolves.toEqual({ reason: 'CALL_ENDED' });
};

describe('what a caller says last', () => {
  it.each([0, 40, 100, 400])('is kept though they hang up %i ms after the last word', async (afterMs) => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 300 } });
    await scene.isSilent(200);
    await scene.says('please never call me again');
    await scene.isSilent(afterMs);
    await over(scene);
    expect(kept(scene)).toEqual(['please never call me again']);
    expect(scene.generator.asked).toEqual([]);
  });

  it('is kept in the middle of a word, as far as it was said', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 300 } });
    await scene.isSilent(200);
    await scene.says('take me off your list and');
    await over(scene);
    expect(kept(scene)).toEqual(['take me off your list and']);
  });

  it('is kept if the answer had been started on a suspected end only', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 5000 } });
    await scene.says('when are you open on saturday');
    await scene.isSilent(450);
    expect(scene.generator.asked).toHaveLength(1);
    await over(scene);
    expect(scene.generator.discarded).toHaveLength(1);
    expect(kept(scene)).toEqual(['when are you open on saturday']);
  });

  it('is in history through its turn if that was asked', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 5000 } });
    await scene.says('when are you open on saturday');
    await scene.isSilent(1500);
    await over(scene);
    expect(scene.generator.heard).toMatchObject([{ heardText: '' }]);
    expect(kept(scene)).toEqual([]);
  });

  it('is in history through its turn if that had not begun yet', async () => {
    const scene = new ScriptedCall({ generator: { begunMs: 2000 } });
    await scene.says('when are you open on saturday');
    await scene.isSilent(1500);
    await over(scene);
    expect(scene.generator.heard).toMatchObject([{ heardText: '', playedMs: 0 }]);
    expect(kept(scene)).toEqual([]);
  });

  it('is kept if it interrupted the agent', async () => {
    const answer = (): string => 'We are open from nine to six on every day of the week but Sunday.';
    const scene = new ScriptedCall({ answer, perfectRecognizer: { answerMs: 300 } });
    await scene.says('when are you open');
    await scene.isSilent(3000);
    expect(scene.call.state.kind).toBe('speaking');
    await scene.says('never call me again');
    await over(scene);
    expect(kept(scene)).toEqual(['never call me again']);
  });

  it('is kept if the agent may not be interrupted', async () => {
    const answer = (): string => 'We are open from nine to six on every day of the week but Sunday.';
    const scene = new ScriptedCall({ answer, settings: { isInterruptible: false }, perfectRecognizer: { answerMs: 300 } });
    await scene.says('when are you open');
    await scene.isSilent(3000);
    await scene.says('never call me again');
    await over(scene);
    expect(kept(scene)).toEqual(['never call me again']);
  });

  it('is nothing if they only listened', async () => {
    const answer = (): string => 'We are open from nine to six on every day of the week but Sunday.';
    const scene = new ScriptedCall({ answer, perfectRecognizer: { answerMs: 300 } });
    await scene.says('when are you open');
    await scene.isSilent(3000);
    await scene.says('okay');
    await over(scene);
    expect(kept(scene)).toEqual([]);
  });

  it('is not waited for long if the recognizer does not answer', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 60_000 } });
    await scene.says('never call me again');
    await over(scene);
    expect(kept(scene)).toEqual([]);
  });

  it('does not delay the end if nothing was said', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 300 } });
    await scene.isSilent(500);
    scene.call.end('CALL_ENDED');
    await scene.clock.pass(0);
    let isOver = false;
    void scene.call.finished.then(() => (isOver = true));
    await scene.clock.pass(0);
    expect(isOver).toBe(true);
  });

  it('is not transcribed if a machine answered', async () => {
    const scene = new ScriptedCall({ perfectRecognizer: { answerMs: 300 } });
    await scene.says('please leave a message');
    scene.call.end('VOICEMAIL');
    await scene.clock.pass(10_000);
    await scene.call.finished;
    expect(kept(scene)).toEqual([]);
  });
});

describe('words over a goodbye', () => {
  const farewell = (question: string): string =>
    question.includes('bye') ? 'Thank you for calling us today. Goodbye, and have a very nice day.' : 'We close at nine.';

  it('of a caller who asks something else keep the call open and are answered', async () => {
    const scene = new ScriptedCall({ answer: farewell, generator: { wantsToEnd: true } });
    await scene.says('okay bye then');
    await scene.isSilent(1600);
    expect(scene.call.state.kind).toBe('speaking');
    await scene.says('wait when do you close today');
    await scene.isSilent(1000);
    expect(scene.line.endedBecause).toBeUndefined();
    expect(scene.generator.asked.at(-1)?.question).toBe('wait when do you close today');
  });

  it.each([
    ['wait when do you close today', undefined],
    ['okay', 'ENDED_BY_AGENT'],
  ])('over which nobody may interrupt (%s) are answered after it, unless they only agree', async (words, endedBecause) => {
    const settings = { isInterruptible: false };
    const scene = new ScriptedCall({ answer: farewell, generator: { wantsToEnd: true }, settings });
    await scene.says('okay bye then');
    await scene.isSilent(1600);
    await scene.says(words);
    while (scene.call.state.kind === 'speaking') await scene.isSilent(20);
    await scene.isSilent(800);
    expect(scene.line.endedBecause).toBe(endedBecause);
    expect(scene.generator.asked.map(({ question }) => question).includes(words)).toBe(endedBecause === undefined);
  });

  /** A call in which the agent says goodbye, and how long that takes from the moment it is heard in. */
  async function leaving(
    script: ConstructorParameters<typeof ScriptedCall>[0] = {},
  ): Promise<{ scene: ScriptedCall; endsMs: number }> {
    const open = async (): Promise<ScriptedCall> => {
      const scene = new ScriptedCall({ answer: farewell, generator: { wantsToEnd: true }, ...script });
      await scene.says('okay bye then');
      await scene.isSilent(1600);
      return scene;
    };
    const left = await open();
    const fromMs = left.clock.now();
    while (left.call.state.kind === 'speaking') await left.isSilent(20);
    return { scene: await open(), endsMs: left.clock.now() - fromMs };
  }

  const question = 'wait when do you close today';
  const written: [string, ConstructorParameters<typeof ScriptedCall>[0]][] = [
    ['live', {}],
    ['at pauses', { recognition: { guesses: false } }],
    ['where nobody may interrupt', { settings: { isInterruptible: false } }],
  ];

  describe.each(written)('written %s', (_, script) => {
    it.each([300, 200, 140, 80, 40, 0, -100])('that begin %i ms before it ends are answered', async (beforeMs) => {
      const { scene, endsMs } = await leaving(script);
      await scene.isSilent(endsMs - beforeMs);
      await scene.says(question);
      await scene.isSilent(1000);
      expect(scene.line.endedBecause).toBeUndefined();
      expect(scene.generator.asked.at(-1)?.question).toBe(question);
    });

    it.each(['okay', 'thank you, bye bye', ''])(
      'that say no more than it does ("%s") are waited for, and the call ends',
      async (words) => {
        const { scene, endsMs } = await leaving(script);
        await scene.isSilent(endsMs - 40);
        await scene.says(words, 500);
        expect(scene.line.endedBecause).toBeUndefined();
        await scene.isSilent(900);
        expect(scene.line.endedBecause).toBe('ENDED_BY_AGENT');
        await scene.clock.pass(10_000);
        expect(scene.generator.asked).toHaveLength(1);
        expect(kept(scene)).toEqual([]);
      },
    );

    it('are waited for no longer than a while where a noise is all there is', async () => {
      const { scene, endsMs } = await leaving(script);
      await scene.isSilent(endsMs - 40);
      await scene.says('', 20_000);
      expect(scene.line.endedBecause).toBe('ENDED_BY_AGENT');
    });
  });

  it('may come for 450 ms after it, and no longer', async () => {
    const { scene, endsMs } = await leaving();
    await scene.isSilent(endsMs + 410);
    expect(scene.line.endedBecause).toBeUndefined();
    await scene.isSilent(40);
    expect(scene.line.endedBecause).toBe('ENDED_BY_AGENT');
  });

  it('do not cut it short where they are a farewell as well', async () => {
    const { scene, endsMs } = await leaving();
    await scene.says('thanks bye', 400);
    await scene.isSilent(endsMs + 1500);
    expect(scene.line.endedBecause).toBe('ENDED_BY_AGENT');
    expect(scene.generator.asked).toHaveLength(1);
    expect(scene.line.told('agent.done').at(-1)?.text).toBe(farewell('bye'));
  });

  it('that were typed over it are answered', async () => {
    const { scene, endsMs } = await leaving({ settings: { isInterruptible: false } });
    scene.call.signal({ type: 'text', text: question });
    await scene.isSilent(endsMs + 500);
    expect(scene.line.endedBecause).toBeUndefined();
    expect(scene.generator.asked.at(-1)?.question).toBe(question);
  });

  it.each([1000, 0, -200])('for callers who seemed gone keep the call open, begun %i ms before its end', async (beforeMs) => {
    const idle = { afterMs: 4000, prompts: [], goodbye: 'Nobody seems to be there, so goodbye then.' };
    const open = (): ScriptedCall => new ScriptedCall({ settings: { idle } });
    const left = open();
    await left.isSilent(4500);
    while (left.call.state.kind === 'speaking') await left.isSilent(20);
    const scene = open();
    await scene.isSilent(left.clock.now() - beforeMs);
    await scene.says('sorry I am here');
    await scene.isSilent(1500);
    expect(scene.line.endedBecause).toBeUndefined();
    expect(scene.generator.asked.map((asked) => asked.question)).toEqual(['sorry I am here']);
  });
});
