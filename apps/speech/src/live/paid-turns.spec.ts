import { discardTurn, readTurn, streamTurn } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Scene } from './live-scene.suite';

describe('a live session', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.begin();
  });
  afterEach(() => scene.end());

  describe('whose opener pays for each turn', () => {
    const chargeOf = (body: Record<string, unknown> | undefined) => body?.payment;
    const asked = () => scene.bodiesOf(streamTurn);

    it('names a charge with each question and says what was used under it, apart from its other usage', async () => {
      await scene.speech();
      const line = await scene.dial({ turnsPaidBy: {} });
      await line.greeted();
      line.channel.signal({ type: 'text', text: 'When are you open?' });
      await eventually('it is told', () => line.turns.length > 0);
      const [{ chargeId, tokens } = { chargeId: '', tokens: 0 }] = line.turns;
      expect(asked().map(chargeOf)).toMatchObject([{ chargeId, tokens: 0, isSettledByTurn: false, ofSession: {} }]);
      expect(tokens).toBe(36);
      line.channel.signal({ type: 'session.end' });
      await line.over;
      expect([line.turns.length, line.spent('TTT_API')]).toEqual([1, 0]);
    });

    it('says what an interrupted answer used', async () => {
      scene.answer = async function* (_question, signal) {
        yield 'We open at nine. ';
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      };
      await scene.speech();
      const line = await scene.dial({ turnsPaidBy: {} });
      await line.greeted();
      line.channel.signal({ type: 'text', text: 'When are you open?' });
      await eventually('it is said', () => line.all('agent.audio.start').length > 1);
      line.channel.signal({ type: 'session.end' });
      await line.over;
      expect(line.turns).toEqual([expect.objectContaining({ tokens: 36 })]);
    });

    const hangs = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

    it.each([
      ['its answer was heard', 'answer', 'present'],
      ['it was known to have begun', 'beginning', 'present'],
      ['its answer was heard', 'answer', 'earlier'],
    ] as const)('says what a turn used that was replaced by another before %s (%s, %s build)', async (_when, moment, build) => {
      scene.isConversationEarlier = build === 'earlier';
      scene.answer = async function* (question, signal) {
        if (question === 'When are you open?' && moment === 'answer') await hangs(signal);
        yield 'We open at nine.';
      };
      if (moment === 'beginning') scene.beginning = (signal) => (asked().length === 1 ? hangs(signal) : Promise.resolve());
      await scene.speech();
      const line = await scene.dial({ turnsPaidBy: {} });
      await line.greeted();
      line.channel.signal({ type: 'text', text: 'When are you open?' });
      await eventually('it is asked', () => asked().length === 1);
      line.channel.signal({ type: 'text', text: 'And on Sundays?' });
      await eventually('both are told', () => line.turns.length === 2);
      expect(line.turns.map(({ tokens }) => tokens)).toEqual([36, 36]);
      expect(new Set(line.turns.map(({ chargeId }) => chargeId)).size).toBe(2);
      // The answer to its withdrawal says it, so that it need not be read as well.
      expect(scene.bodiesOf(readTurn)).toHaveLength(build === 'earlier' ? 1 : 0);
      expect(scene.bodiesOf(discardTurn)).toMatchObject([{ turnUUID: (chargeOf(asked()[0]) as { chargeId: string }).chargeId }]);
    });

    it('releases the charge of a turn that was refused for lack of credits, says its last words and ends', async () => {
      scene.isOutOfCredits = true;
      await scene.speech();
      const line = await scene.dial({ turnsPaidBy: {} });
      await line.greeted();
      line.channel.signal({ type: 'text', text: 'When are you open?' });
      await expect(line.over).resolves.toBe('CREDITS_EXHAUSTED');
      expect(line.turns).toEqual([expect.objectContaining({ tokens: 0 })]);
      expect(line.first('error')).toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect(scene.voice.requests.map(({ text }) => text).join(' ')).toContain('I have to end our call here');
    });
  });
});
