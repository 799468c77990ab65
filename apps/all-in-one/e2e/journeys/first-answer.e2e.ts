import { get, post } from '../platform/client';
import { demo } from '../platform/platform';

describe('a newcomer', () => {
  it('asks the demo agent and gets the stored answer', async () => {
    const { agentKey } = demo();
    const reply = await post('/api/v1/ttt', { question: 'When are you open?' }, agentKey);
    expect(reply).toMatchObject({ status: 200, body: { statusCode: 200, detectedLanguage: 'english' } });
    expect(reply.body.answer).toContain('9:30 AM to 7:00 PM');
    expect(reply.body.tokenUsage.totalTokens).toBe(reply.body.tokenUsage.promptTokens + reply.body.tokenUsage.completionTokens);
  });

  it.each([
    ['hindi', 'आप कब खुले रहते हैं?', 'सोमवार से शनिवार'],
    ['marathi', 'तुम्ही कधी उघडे असता?', 'सोमवार ते शनिवार'],
  ])('is answered in %s', async (_language, question, expected) => {
    const reply = await post('/api/v1/ttt', { question }, demo().agentKey);
    expect(reply.body.answer).toContain(expected);
  });

  it.each([
    ['How much is the steel kettle?', /1,?499/],
    ['Do you deliver to Nagpur?', /Nagpur/],
  ])('is answered from the shop’s catalogue: %s', async (question, expected) => {
    const bases = await post('/api/v1/external/kb/kb-list', { searchName: 'Demo Bazaar' }, demo().workspaceKey);
    expect(bases.body.data).toMatchObject([{ KnowledgeBaseName: 'Demo Bazaar', productCount: 10, serviceCount: 2 }]);
    const reply = await post('/api/v1/ttt', { question }, demo().agentKey);
    expect(reply.body.answer).toMatch(expected);
  });

  it('continues the session, and finds both turns in its history', async () => {
    const { agentKey, AgentID } = demo();
    const first = await post('/api/v1/ttt', { question: 'How can I pay?' }, agentKey);
    const { sessionUUID } = first.body;
    await post('/api/v1/ttt', { question: 'Can I return a product?', sessionUUID }, agentKey);
    const history = await get(`/api/v1/external/history?sessionUUID=${sessionUUID}`, agentKey);
    expect(history.body).toMatchObject({ statusCode: 200, sessionUUID, AgentID });
    expect(history.body.chatHistory.map(({ sender }) => sender)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('is told honestly what the agent does not know', async () => {
    const reply = await post('/api/v1/ttt', { question: 'Who won the cricket world cup in 1983?' }, demo().agentKey);
    expect(reply.status).toBe(200);
    expect(reply.body.answer).not.toMatch(/India|West Indies|1983/);
  });
});
