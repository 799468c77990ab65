/** @waits sound takes as long as it lasts */
import { randomUUID } from 'node:crypto';
import { openSession, recordSound, streamTurn } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Scene } from './live-scene.suite';

describe('a line that continues a conversation', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.begin();
  });
  afterEach(() => scene.end());

  it('tells the line’s holder how far the call is, continuing from another replica', async () => {
    await scene.speech();
    const line = await scene.dial({ goesOn: { elapsedMs: 60_000, usualPauseMs: 800, asked: 'What is your number?' } });
    await eventually('it is told', () => line.progress.length > 0);
    expect(line.progress[0]?.elapsedMs).toBeGreaterThanOrEqual(60_000);
    expect(line.progress[0]).toMatchObject({ usualPauseMs: 800, asked: 'What is your number?' });
    expect(line.all('agent.delta')).toEqual([]);
  });

  it('goes on with the time, the pause and the question of the lines before, and reports its own time at its end', async () => {
    await scene.speech();
    scene.progress = { elapsedMs: 60_000, usualPauseMs: 800, asked: 'What is your number?' };
    const sessionUUID = randomUUID();
    const line = await scene.dial({ sessionUUID });
    await eventually('it is told', () => line.progress.length > 0);
    expect(line.progress[0]).toMatchObject({ usualPauseMs: 800, asked: 'What is your number?' });
    expect(line.progress[0]?.elapsedMs).toBeGreaterThanOrEqual(60_000);
    line.channel.signal({ type: 'text', text: 'Hello?' });
    await line.greeted();
    expect(scene.bodiesOf(openSession)).toMatchObject([{ sessionUUID, opensLine: true }]);
    expect(scene.bodiesOf(streamTurn)).toMatchObject([{ usualPauseMs: 800, reportsHeard: true }]);
    line.channel.signal({ type: 'session.end' });
    await line.over;
    const connected = { beforeMs: 60_000, elapsedMs: expect.any(Number), usualPauseMs: 800 };
    expect(scene.bodiesOf(recordSound)).toMatchObject([{ connected }]);
  });

  it('believes the conversation service about the time, and the opener of a lost line about the rest', async () => {
    await scene.speech();
    scene.progress = { elapsedMs: 90_000, usualPauseMs: 300, asked: 'Hello?' };
    const goesOn = { elapsedMs: 1000, usualPauseMs: 800, asked: 'What is your number?' };
    const line = await scene.dial({ sessionUUID: randomUUID(), goesOn });
    await eventually('it is told', () => line.progress.length > 0);
    expect(line.progress[0]).toMatchObject({ usualPauseMs: 800, asked: 'What is your number?' });
    expect(line.progress[0]?.elapsedMs).toBeGreaterThanOrEqual(90_000);
  });
});
