import { ScriptedCall } from '../scripted/scripted-call';

function questions(scene: ScriptedCall): string[] {
  return scene.generator.asked.map(({ question }) => question);
}

describe('the last words of a turn that was answered without them', () => {
  async function slowlyWritten(answerMs: number): Promise<ScriptedCall> {
    const scene: ScriptedCall = new ScriptedCall({
      answer: () => 'We deliver within three working days. Is there anything else that you want to know?',
      recognition: { answerAfter: (tell) => void scene.clock.wakeAt(scene.clock.now() + answerMs, tell) },
    });
    await scene.says('when do you deliver');
    await scene.isSilent(2600);
    return scene;
  }

  it('are not taken for what the caller says next', async () => {
    const scene = await slowlyWritten(2700);
    await scene.says('and how much does it cost');
    await scene.isSilent(8000);
    expect(questions(scene).at(-1)).toBe('and how much does it cost');
  });

  it('do not interrupt the answer when the caller only agrees', async () => {
    const scene = await slowlyWritten(2500);
    await scene.says('okay');
    await scene.isSilent(8000);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.line.told('agent.done')).toHaveLength(1);
  });

  it('are answered late when nothing of the turn had been written down', async () => {
    const scene: ScriptedCall = new ScriptedCall({
      recognition: { guesses: false, answerAfter: (tell) => void scene.clock.wakeAt(scene.clock.now() + 9500, tell) },
    });
    await scene.says('when do you deliver');
    await scene.isSilent(14_000);
    expect(questions(scene)).toEqual(['when do you deliver']);
  });
});
