/** @waits sound takes as long as it lasts */
import { randomUUID } from 'node:crypto';
import { endSession, recordUnanswered, streamTurn } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { type Dialled, Scene } from './live-scene.suite';

describe('texts that wait behind an answer', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.begin();
    await scene.speech();
  });
  afterEach(() => scene.end());

  /** Texts in one moment: the first four become one question, the others wait behind it. */
  async function waiting(texts: readonly string[]): Promise<Dialled> {
    scene.answer = async function* (_question, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield 'never heard';
    };
    const line = await scene.dial();
    await line.greeted();
    for (let n = 0; n < 4; n++) line.channel.signal({ type: 'text', text: `question ${n}` });
    for (const text of texts) line.channel.signal({ type: 'text', text });
    line.channel.signal({ type: 'ping' });
    await eventually('they are there', () => line.all('pong').length === 1);
    return line;
  }

  it.each([
    ['hangs up', { type: 'session.end' }],
    ['closes the page', { type: 'caller.left' }],
  ] as const)('stand in history in their order when their client %s, before the session ends', async (_does, farewell) => {
    const line = await waiting(['one', 'two', 'three']);
    line.channel.signal(farewell);
    await line.over;
    expect(scene.bodiesOf(recordUnanswered).map(({ question }) => question)).toEqual(['one', 'two', 'three']);
    expect(line.all('warning').map(({ code }) => code)).toEqual(['TEXT_IGNORED', 'TEXT_IGNORED', 'TEXT_IGNORED']);
    const subjects = scene.told.map(({ subject }) => subject);
    if (farewell.type === 'session.end')
      expect(subjects.indexOf(endSession.subject)).toBeGreaterThan(subjects.lastIndexOf(recordUnanswered.subject));
  });

  it('are told at once to the opener of the line, in case this process dies', async () => {
    const line = await waiting(['one', 'two']);
    expect(line.progress.at(-1)).toMatchObject({ waiting: ['one', 'two'] });
    line.channel.signal({ type: 'session.end' });
    await line.over;
  });

  it('are answered by the next process', async () => {
    const goesOn = { elapsedMs: 1000, waiting: ['one', 'two'] };
    const line = await scene.dial({ sessionUUID: randomUUID(), goesOn });
    await eventually('both are answered', () => line.all('agent.done').length === 2);
    expect(scene.bodiesOf(streamTurn)).toMatchObject([{ question: 'one' }, { question: 'two' }]);
    await eventually('none waits', () => line.progress.at(-1)?.waiting === undefined);
  });
});
