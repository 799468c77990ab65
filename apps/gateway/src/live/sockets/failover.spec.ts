import { voiceLineMoved } from '@parley/contracts';
import { eventually, TestNats } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import { SocketHarness } from './socket-harness.suite';

describe.each(['inside one process', 'over NATS'])('a session whose speech replica fails, %s', (place) => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open({}, place === 'over NATS' ? await TestNats.start() : undefined);
  });
  beforeEach(() => {
    mine = by.harness.organization();
    by.speech.reset();
  });
  afterAll(() => by.harness.close());

  it('continues the same conversation at another replica, and tells the client', async () => {
    const second = await by.startSpeech('second');
    by.speech.admit = (replica) => {
      if (by.speech.lines.length === 0 && replica !== 'second') throw new Error('the test wants the second replica first');
    };
    let client = await by.caller(mine);
    // The replica is chosen at random.
    for (;;) {
      const asking = client;
      asking.send({ type: 'session.start' });
      await eventually('an answer', () => asking.frames.length > 0);
      if (asking.frames[0]?.type !== 'error') break;
      await asking.closed;
      client = await by.caller(mine);
    }
    const { sessionUUID } = await client.next('session.ready');
    expect(by.speech.last.replica).toBe('second');
    await second.transport.close();
    client.send({ type: 'text', text: 'said while there was nobody' });
    expect(await client.next('warning')).toMatchObject({ code: 'SESSION_MOVED' });
    expect(by.speech.last).toMatchObject({ replica: 'one', opening: { sessionUUID } });
    client.send({ type: 'text', text: 'and after' });
    const answers = () => client.frames.flatMap((frame) => (frame.type === 'agent.done' ? [frame.text] : []));
    await eventually('the answer', () => answers().includes('You said and after'));
    await client.close();
  });

  it('does not wait for a replica that hangs while opening, however often it is drawn', async () => {
    const client = await by.caller(mine);
    const { sessionUUID } = await client.start();
    const { channel } = by.speech.last;
    let asked = 0;
    const hanging = Promise.withResolvers<void>();
    by.speech.delay = () => (++asked <= 3 ? hanging.promise : Promise.resolve());
    channel.close(voiceLineMoved);
    expect(await client.next('warning')).toMatchObject({ code: 'SESSION_MOVED' });
    expect(asked).toBe(4);
    const holder = by.speech.last;
    // Those that answer too late are not held, and disturb nobody.
    hanging.resolve();
    client.send({ type: 'text', text: 'still me' });
    await client.next('agent.done');
    expect(holder.opening).toMatchObject({ sessionUUID });
    expect(client.count('warning')).toBe(1);
    await client.close();
  });

  it('moves when a draining replica hands it over', async () => {
    const client = await by.caller(mine);
    const { sessionUUID } = await client.start();
    const before = by.speech.last;
    before.channel.close(voiceLineMoved);
    expect(await client.next('warning')).toMatchObject({ code: 'SESSION_MOVED' });
    expect(by.speech.last).not.toBe(before);
    expect(by.speech.last.opening).toMatchObject({ sessionUUID });
    client.send({ type: 'text', text: 'still me' });
    await client.next('agent.done');
    await client.close();
  });

  it('tells the next replica how long the call has lasted, how long its caller pauses and what the agent asked', async () => {
    const client = await by.caller(mine);
    await client.start();
    const before = by.speech.last;
    const progress = { elapsedMs: 41_000, usualPauseMs: 900, asked: 'What is your number?' };
    before.channel.signal({ type: 'line.progress', ...progress });
    before.channel.close(voiceLineMoved);
    await client.next('warning');
    expect(by.speech.last.opening).toMatchObject({ goesOn: progress });
    expect(client.frames.map(({ type }): string => type)).not.toContain('line.progress');
    await client.close();
  });

  it('keeps the last two seconds of what is said during the move', async () => {
    const client = await by.caller(mine);
    await client.start();
    const asked = Promise.withResolvers<void>();
    const said = Promise.withResolvers<void>();
    const seen = by.speech.lines.length;
    by.speech.delay = () => {
      asked.resolve();
      return said.promise;
    };
    by.speech.last.channel.close(voiceLineMoved);
    // What is on its way to a lost replica is lost too; from now on there is none.
    await asked.promise;
    for (let n = 0; n < 200; n += 1) client.sound(Buffer.alloc(640, n));
    said.resolve();
    await client.next('warning');
    client.send({ type: 'text', text: 'end' });
    await client.next('agent.done');
    const sounds = by.speech.lines.slice(seen - 1).flatMap((line) => line.sounds.map((sound) => sound[0] ?? -1));
    expect(sounds.at(-1)).toBe(199);
    expect(sounds).toEqual([...sounds].sort((a, b) => a - b));
    expect(new Set(sounds).size).toBe(sounds.length);
    await client.close();
  });

  it('closes with 1013 if no replica accepts it', async () => {
    const client = await by.caller(mine);
    await client.start();
    let tries = 0;
    for (let move = 0; move < 7; move += 1) {
      const { channel } = by.speech.last;
      channel.close(voiceLineMoved);
      tries += 1;
      await eventually('moved or closed', () => client.count('warning') === tries || client.count('error') > 0);
    }
    expect(await client.next('error')).toMatchObject({ statusCode: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(await client.closed).toMatchObject({ code: 1013 });
    expect(client.count('warning')).toBe(6);
  });
});
