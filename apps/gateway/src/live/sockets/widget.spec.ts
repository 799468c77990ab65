import { eventually } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import type { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

describe('the socket of a widget', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let visitor: SocketClient;

  beforeAll(async () => {
    by = await SocketHarness.open({ PARLEY_INITIAL_CREDITS: 'TTT_API=100000,TTS_API=1000,STT_API=100' });
  });
  beforeEach(async () => {
    mine = by.harness.organization();
    by.conversation.asked.length = 0;
    visitor = await by.visitor(mine);
  });
  afterEach(async () => {
    await visitor.close();
    by.speech.reset();
  });
  afterAll(() => by.harness.close());

  const charged = () => by.charged(mine);
  const held = () => by.held(mine);

  it('answers typed questions by text, one after the other, and charges each as chat does', async () => {
    const { sessionUUID } = await visitor.start({ language: 'hindi' });
    visitor.send({ type: 'text', text: 'When?' });
    visitor.send({ type: 'text', text: 'Where?' });
    expect([await visitor.next('agent.done'), await visitor.next('agent.done')]).toMatchObject([
      { text: 'You asked When?', usage: { totalTokens: 10 } },
      { text: 'You asked Where?' },
    ]);
    const keyId = expect.stringMatching(/^widget [\da-f-]{36}$/);
    expect(by.conversation.asked).toMatchObject([
      { question: 'When?', sessionUUID, channel: 'WIDGET', language: 'hindi', keyId },
      { question: 'Where?', sessionUUID },
    ]);
    expect(by.speech.lines).toEqual([]);
    expect(await charged()).toEqual({ TTT_API: 20 });
    expect(await held()).toBe(0);
  });

  it('answers what was typed before the session was ready', async () => {
    visitor.send({ type: 'session.start' });
    visitor.send({ type: 'text', text: 'early' });
    expect(await visitor.next('agent.done')).toMatchObject({ text: 'You asked early' });
  });

  it('goes on aloud in the same conversation once the visitor speaks, also with what is typed', async () => {
    const { sessionUUID } = await visitor.start();
    visitor.send({ type: 'text', text: 'typed' });
    await visitor.next('agent.done');
    visitor.sound(Buffer.from([1, 0]));
    visitor.send({ type: 'text', text: 'typed while speaking' });
    expect(await visitor.next('agent.done')).toMatchObject({ text: 'You said typed while speaking' });
    expect(by.speech.lines).toMatchObject([{ opening: { sessionUUID, channel: 'WIDGET', AgentKeyID: mine.agent.AgentKeyID } }]);
    await eventually('the sound comes back', () => visitor.sounds.length === 1);
    expect(by.conversation.asked).toHaveLength(1);
  });

  it('stops an answer that is interrupted, and charges what was produced', async () => {
    const stopped = Promise.withResolvers<void>();
    by.conversation.answer = async function* (_asked, { signal }) {
      yield 'You ';
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
    };
    await visitor.start();
    visitor.send({ type: 'text', text: 'Tell me everything' });
    await visitor.next('agent.delta');
    visitor.send({ type: 'interrupt' });
    expect(await visitor.next('agent.interrupted')).toEqual({ type: 'agent.interrupted', heardText: 'You ', playedMs: 0 });
    await stopped.promise;
    await eventually('it is charged', async () => (await charged()).TTT_API !== undefined);
    expect(await charged()).toEqual({ TTT_API: 9 });
  });

  it('stops the answer of a visitor who leaves, and charges what was produced', async () => {
    const stopped = Promise.withResolvers<void>();
    by.conversation.answer = async function* (_asked, { signal }) {
      yield 'You ';
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
    };
    await visitor.start();
    visitor.send({ type: 'text', text: 'Tell me everything' });
    await visitor.next('agent.delta');
    visitor.socket.terminate();
    await stopped.promise;
    await eventually('it is charged', async () => (await charged()).TTT_API !== undefined);
    expect([await charged(), await held()]).toEqual([{ TTT_API: 9 }, 0]);
  });

  it('keeps a visitor from asking faster than is answered', async () => {
    const answering = Promise.withResolvers<void>();
    by.conversation.answer = async function* () {
      await answering.promise;
      yield 'At last';
    };
    await visitor.start();
    for (let n = 0; n < 6; n += 1) visitor.send({ type: 'text', text: `question ${n}` });
    expect(await visitor.next('error')).toMatchObject({ code: 'SESSION_BUSY', statusCode: 409 });
    answering.resolve();
    await eventually('five are answered', () => visitor.count('agent.done') === 5);
  });

  it('ends when the visitor asks for it, and the conversation with it', async () => {
    const { sessionUUID } = await visitor.start();
    visitor.send({ type: 'session.end' });
    expect(await visitor.next('session.ended')).toMatchObject({ reason: 'ENDED_BY_USER' });
    expect(await visitor.closed).toMatchObject({ code: 1000 });
    expect(by.conversation.ended).toContain(sessionUUID);
  });

  it('says of each question that waits when the visitor ends it that nobody will answer it', async () => {
    by.conversation.answer = async function* (_asked, { signal }) {
      yield 'You ';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    await visitor.start();
    for (const text of ['one', 'two', 'three']) visitor.send({ type: 'text', text });
    await visitor.next('agent.delta');
    visitor.send({ type: 'session.end' });
    await visitor.next('session.ended');
    expect(visitor.frames.filter((frame) => frame.type === 'warning')).toMatchObject([
      { code: 'TEXT_IGNORED' },
      { code: 'TEXT_IGNORED' },
    ]);
  });

  it('reports digits as an error and ignores playback while nothing is spoken', async () => {
    await visitor.start();
    visitor.send({ type: 'playback', playedMs: 5 });
    visitor.send({ type: 'dtmf', digit: '1' });
    expect(await visitor.next('error')).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(visitor.count('error')).toBe(1);
  });
});

describe('a widget whose organization has no credits for speech', () => {
  let by: SocketHarness;
  beforeAll(async () => {
    by = await SocketHarness.open({ PARLEY_INITIAL_CREDITS: 'TTT_API=1000' });
  });
  afterAll(() => by.harness.close());

  it('still answers typed questions, until nothing is left for those', async () => {
    const visitor = await by.visitor(by.harness.organization());
    await visitor.start();
    visitor.send({ type: 'text', text: 'one' });
    await visitor.next('agent.done');
    visitor.send({ type: 'text', text: 'two' });
    expect(await visitor.next('error')).toMatchObject({ code: 'CREDITS_EXHAUSTED', statusCode: 403 });
    expect(await visitor.closed).toMatchObject({ code: 4403 });
  });

  it('is closed with 4403 when its visitor begins to speak', async () => {
    const visitor = await by.visitor(by.harness.organization());
    await visitor.start();
    visitor.sound(Buffer.alloc(640));
    expect(await visitor.next('error')).toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    expect(await visitor.closed).toMatchObject({ code: 4403 });
  });
});
