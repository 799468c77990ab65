import { PassThrough } from 'node:stream';
import { ProviderFailure, ScriptedEmbeddings } from '@parley/ports';
import { createLogger } from '@parley/service-kit';
import { QuestionVectors } from './searching';

const log = () => createLogger({ level: 'silent', isReadable: false, writesPii: false, destination: new PassThrough().resume() });

describe('the vector of a question', () => {
  it('is made once, however its words are spaced, and once per engine', async () => {
    const questions = new QuestionVectors(log());
    const [one, other] = [new ScriptedEmbeddings({ name: 'one' }), new ScriptedEmbeddings({ name: 'other', dimensions: 32 })];
    const first = await questions.of('when do you  open?', one);
    expect(await questions.of(' when do you open? ', one)).toEqual(first);
    expect(one.calls).toEqual([['when do you open?']]);
    expect(await questions.of('when do you open?', other)).toHaveLength(32);
  });

  it('is forgotten after a thousand others', async () => {
    const questions = new QuestionVectors(log());
    const engine = new ScriptedEmbeddings();
    const ask = (number: number) => questions.of(`question ${number}`, engine);
    for (let number = 0; number < 1_000; number += 1) await ask(number);
    await ask(0);
    expect(engine.calls).toHaveLength(1_000);
    await ask(1_000);
    await ask(0);
    expect(engine.calls).toHaveLength(1_001);
    await ask(1);
    expect(engine.calls).toHaveLength(1_002);
  });

  it('is made in one call with concurrent ones, each getting its own', async () => {
    const questions = new QuestionVectors(log());
    const engine = new ScriptedEmbeddings();
    const asked = ['when do you open?', 'where are you?', 'when do you open?'];
    const together = await Promise.all(asked.map((question) => questions.of(question, engine)));
    expect(engine.calls).toEqual([['when do you open?', 'where are you?']]);
    const alone = new ScriptedEmbeddings();
    for (const [place, question] of asked.entries())
      expect(together[place]).toEqual(await new QuestionVectors(log()).of(question, alone));
  });

  it('is requested again after the engine failed', async () => {
    const questions = new QuestionVectors(log());
    const engine = new ScriptedEmbeddings();
    engine.failNext(new ProviderFailure('scripted', 'told to fail', { retryable: true }));
    expect(await questions.of('when do you open?', engine)).toBeUndefined();
    expect(await questions.of('when do you open?', engine)).toHaveLength(64);
  });
});
