import { readUnanswered } from '@parley/contracts';
import { Installation, type Shop } from '../installation.suite';

describe('unanswered questions', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  const unansweredOf = ({ agent, owner }: Shop, more: { startDate?: string; endDate?: string } = {}) =>
    installation.bus.ask(readUnanswered, { KBID: agent.KBID ?? 0, ...more }, { principal: owner });

  it('list each wording once, with its count, latest first', async () => {
    const shop = installation.shop();
    for (const question of ['Do you sell sofas?', 'Do you repair phones?', 'do you sell SOFAS?'])
      await installation.ask(shop.caller, question);
    const { wordings } = await unansweredOf(shop);
    expect(wordings.map(({ question, count }) => [question, count])).toEqual([
      ['do you sell SOFAS?', 2],
      ['Do you repair phones?', 1],
    ]);
    expect(wordings[0]?.languages).toEqual(['english']);
    expect(Date.parse(wordings[0]?.lastAskedOn ?? '')).toBeGreaterThanOrEqual(Date.parse(wordings[0]?.firstAskedOn ?? ''));
  });

  it('are each in the language in which they were asked, whatever the conversation is in', async () => {
    const shop = installation.shop();
    for (const question of ['kya aap chhata rakhte hain', 'क्या आप छाता बेचते हैं?', 'Do you sell umbrellas?'])
      await installation.ask(shop.caller, question);
    const { wordings } = await unansweredOf(shop);
    expect(wordings.map(({ languages }) => languages)).toEqual([['english'], ['hindi'], ['hinglish']]);
  });

  it('contain nothing that was answered or only greeted', async () => {
    const shop = installation.shop();
    installation.surroundings.retrieve = ({ query }) => ({
      ...{ faq: null, passages: [], isKnown: query.includes('deliver') },
      fact: query.includes('deliver') ? 'Within three days.' : null,
    });
    for (const question of ['When do you deliver?', 'Hello', 'Do you sell lamps?']) await installation.ask(shop.caller, question);
    expect((await unansweredOf(shop)).wordings.map(({ question }) => question)).toEqual(['Do you sell lamps?']);
  });

  it('are selected by the organization’s days, and within it only', async () => {
    const [shop, other] = [installation.shop(), installation.shop()];
    await installation.ask(shop.caller, 'Do you sell tents?');
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(Date.now());
    expect((await unansweredOf(shop, { startDate: today, endDate: today })).wordings).toHaveLength(1);
    expect((await unansweredOf(shop, { endDate: '2020-01-01' })).wordings).toEqual([]);
    expect((await unansweredOf({ ...other, agent: shop.agent })).wordings).toEqual([]);
  });

  it('hide other agents from members limited to one', async () => {
    const shop = installation.shop();
    await installation.ask(shop.caller, 'Do you sell boats?');
    const principal = { ...shop.owner, agentIds: [shop.agent.AgentID + 1] };
    const ask = installation.bus.ask(readUnanswered, { KBID: shop.agent.KBID ?? 0 }, { principal });
    expect((await ask).wordings).toEqual([]);
  });
});
