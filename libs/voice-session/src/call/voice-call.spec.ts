import { ScriptedCall } from '../scripted/scripted-call';

const answer = (): string => 'We deliver within three working days. Is there anything else that you want to know?';

describe('VoiceCall', () => {
  it('listens, answers, speaks and listens again', async () => {
    const scene = new ScriptedCall({ answer });
    await scene.says('when do you deliver');
    await scene.isSilent(8000);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['when do you deliver']);
    expect(scene.synthesizer.asked).toEqual([
      'We deliver within three working days.',
      'Is there anything else that you want to know?',
    ]);
    expect(scene.line.told('agent.done')).toMatchObject([{ text: answer() }]);
    expect(scene.call.state.kind).toBe('listening');
    expect(scene.generator.heard).toEqual([]);
  });

  it('stops for an interruption and keeps only what was heard', async () => {
    const scene = new ScriptedCall({ answer });
    await scene.says('when do you deliver');
    await scene.isSilent(2000);
    await scene.says('no wait a moment');
    expect(scene.line.told('agent.interrupted')).toHaveLength(1);
    expect(scene.generator.heard).toMatchObject([{ heardText: 'We deliver within three', playedMs: 1550 }]);
    await scene.isSilent(8000);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['when do you deliver', 'no wait a moment']);
    expect(scene.line.told('agent.done')).toHaveLength(1);
  });

  it('ends when the caller hangs up, with the reason', async () => {
    const scene = new ScriptedCall();
    await scene.isSilent(100);
    scene.call.end('CALL_ENDED');
    await expect(scene.call.finished).resolves.toEqual({ reason: 'CALL_ENDED' });
    expect(scene.line.told('session.ended')).toEqual([{ type: 'session.ended', reason: 'CALL_ENDED' }]);
  });
});
