import { extendCharge } from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import type { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

describe('a widget, against visitors nobody knows,', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let visitor: SocketClient;

  beforeAll(async () => {
    by = await SocketHarness.open({
      TRUSTED_PROXIES: 'loopback',
      PARLEY_INITIAL_CREDITS: 'TTT_API=100000,TTS_API=10000,STT_API=5000',
    });
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

  it('answers a visitor twenty questions in a minute, and lets an organization’s other visitors ask on', async () => {
    await visitor.start();
    // On a slow machine places come free meanwhile, one every three seconds.
    for (let asked = 1; visitor.count('error') === 0; asked += 1) {
      visitor.send({ type: 'text', text: `Question ${asked}?` });
      await eventually('it is answered or refused', () => visitor.count('agent.done') + visitor.count('error') === asked);
    }
    expect(visitor.count('agent.done')).toBeGreaterThanOrEqual(20);
    const message = 'Too many questions of this visitor.';
    expect(visitor.frames.at(-1)).toMatchObject({ type: 'error', code: 'RATE_LIMITED', message });
    const other = await by.visitor(mine);
    await other.start();
    other.send({ type: 'text', text: 'And I?' });
    expect(await other.next('agent.done')).toMatchObject({ text: 'You asked And I?' });
    await other.close();
  });

  it('answers an address sixty questions in a minute, however often it connects, and other addresses go on', async () => {
    const { publicId } = await by.widget(mine);
    const sinceMs = performance.now();
    const due = () => 60 + (performance.now() - sinceMs) / 1_000;
    let [answered, refused] = [0, 0];
    // A connection asks fewer than a visitor may, so that only the address is at its limit.
    for (const each = 15; refused === 0 && answered <= due() + each;) {
      const again = await by.visitorOf(publicId);
      await again.start();
      for (let asked = 1; asked <= each && again.count('error') === 0; asked += 1) {
        again.send({ type: 'text', text: `Question ${asked}?` });
        await eventually('it is answered or refused', () => again.count('agent.done') + again.count('error') === asked);
      }
      [answered, refused] = [answered + again.count('agent.done'), again.count('error')];
      await again.close();
    }
    expect(answered).toBeGreaterThanOrEqual(60);
    expect(answered).toBeLessThanOrEqual(due());
    const elsewhere = await by.visitorOf(publicId, '198.51.100.7');
    await elsewhere.start();
    elsewhere.send({ type: 'text', text: 'And I?' });
    expect(await elsewhere.next('agent.done')).toMatchObject({ text: 'You asked And I?' });
    await elsewhere.close();
  });

  it.each([
    [{ mood: 'good' }, 'variables.mood'],
    [{ name: 'x'.repeat(201) }, 'variables.name'],
    [Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`v${n}`, 'x'.repeat(2_000)])), 'variables.v0'],
  ])('refuses variables that the widget does not declare, and ones that are too long', async (variables, field) => {
    const declaring = await by.visitor(mine, { variables: ['name'] });
    declaring.send({ type: 'session.start', variables });
    expect(await declaring.next('error')).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining(field) });
    expect((await declaring.closed).code).toBe(1008);
    expect(await charged()).toEqual({});
  });

  it('accepts a variable that the widget declares', async () => {
    const declaring = await by.visitor(mine, { variables: ['name'] });
    await declaring.start({ variables: { name: 'Asha' } });
    declaring.send({ type: 'text', text: 'When?' });
    await declaring.next('agent.done');
    expect(by.conversation.asked).toMatchObject([{ variables: { name: 'Asha' } }]);
    await declaring.close();
  });

  it('ends a day at the widget’s budget, however its visitors ask, and tells when the next one begins', async () => {
    const { publicId } = await by.widget(mine, { dailyCredits: 1_015 });
    const budgeted = await by.visitorOf(publicId);
    await budgeted.start();
    // From the second one on, less is left than an answer may cost.
    for (const [place, text] of ['First?', 'Second?', 'Third?'].entries()) {
      budgeted.send({ type: 'text', text });
      await eventually('it is answered', () => budgeted.count('agent.done') === place + 1);
      await eventually('it is charged', async () => (await charged()).TTT_API === 10 * (place + 1));
    }
    budgeted.sound(Buffer.from([1, 0]));
    await eventually('a line stands', () => by.speech.lines.length === 1);
    by.speech.last.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 2_000 }] });
    expect(await budgeted.next('error')).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await budgeted.closed).code).toBe(4429);
    const late = await by.visitorOf(publicId);
    await late.start();
    late.send({ type: 'text', text: 'Fourth?' });
    expect(await late.next('error')).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('today') });
    await late.close();
  });

  it('lends a turn the rest of its day, where that is less than the longest answer', async () => {
    const answerOf = by.conversation.answer;
    const lent: unknown[] = [];
    by.conversation.answer = async function* (asked, call) {
      const body = { chargeId: asked.payment?.chargeId ?? '', usage: [{ kind: 'TTT_API' as const, units: 2_000 }] };
      const extend = (tokensMin: number) =>
        by.harness.bus.ask(extendCharge, { ...body, tokensMin }, call.principal && { principal: call.principal });
      lent.push(await extend(1_501).catch((error: unknown) => error), await extend(1_500));
      yield* answerOf(asked, call);
    };
    const { publicId } = await by.widget(mine, { dailyCredits: 1_500 });
    const only = await by.visitorOf(publicId);
    await only.start();
    only.send({ type: 'text', text: 'When?' });
    await only.next('agent.done');
    by.conversation.answer = answerOf;
    expect(lent).toMatchObject([{ code: 'RATE_LIMITED' }, { tokens: 1_500 }]);
    await only.close();
  });

  it('reserves what answers may cost: eight visitors at once stay within the budget', async () => {
    const answerOf = by.conversation.answer;
    const hold = Promise.withResolvers<void>();
    by.conversation.answer = async function* (asked, call) {
      const { chargeId = '', tokens } = { ...asked.payment };
      // Who comes late gets what is left.
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(1_000);
      const body = { chargeId, usage: [{ kind: 'TTT_API' as const, units: 2_817 }] };
      await by.harness.bus.ask(extendCharge, body, call.principal && { principal: call.principal });
      await hold.promise;
      yield* answerOf(asked, call);
    };
    const { publicId } = await by.widget(mine, { dailyCredits: 6_000 });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => by.visitorOf(publicId)));
    const count = (type: 'agent.done' | 'error') => visitors.filter((each) => each.count(type) > 0).length;
    for (const each of visitors) {
      await each.start();
      each.send({ type: 'text', text: 'A long answer, please.' });
    }
    await eventually('all are refused but two', () => count('error') === 6);
    hold.resolve();
    await eventually('the two are answered', () => count('agent.done') === 2);
    by.conversation.answer = answerOf;
    for (const each of visitors.filter((visitor) => visitor.count('error') > 0))
      expect(await each.next('error')).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/today|Ask again/) });
    await Promise.all(visitors.map((each) => each.close()));
  });
});
