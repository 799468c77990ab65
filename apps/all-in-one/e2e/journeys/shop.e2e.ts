import { newAgent } from '../../src/demo/demo-file';
import { post } from '../platform/client';
import { demo } from '../platform/platform';
import { until } from '../platform/roster';

const external = '/api/v1/external';
const kettle = {
  product_id: null,
  product_name: 'Copper kettle',
  product_description: 'Holds two litres.',
  category: 'Kitchen',
  price: 1499,
  currency: 'INR',
  availability: true,
  sku: 'KET-2',
  warranty: 12,
};

/** A shop with its own catalogue and stored answers, and an agent for it. */
async function openShop(): Promise<string> {
  const key = demo().workspaceKey;
  const base = {
    KBKeyID: null,
    KnowledgeBaseName: 'A shop of a journey',
    IndustryID: 1,
    AgentTypeID: 1,
    ConversationalModeIDs: '1,2',
  };
  const { KBID } = (await post(`${external}/kb/add-update-kb`, base, key)).body.data;
  await post(`${external}/kb-catalog/add-update`, { KBID, products: [kettle], services: [] }, key);
  const faqs = [{ KBFAQID: 0, Question: 'Do you wrap gifts?', Answer: 'Yes, for fifty rupees.' }];
  await post(`${external}/kb-faq/add-update-faq`, { KBID, faqs }, key);
  const agent = { AgentKeyID: null, ...newAgent, TemplateID: 2, AgentName: 'Shop of a journey', KBID };
  return (await post(`${external}/agent/add-update-agent`, agent, key)).body.data.AgentKeyID;
}

describe('a shop without any provider key', () => {
  let AgentKeyID: string;
  const ask = async (question: string) => (await post('/api/v1/ttt', { question, AgentKeyID }, demo().workspaceKey)).body.answer;
  beforeAll(async () => {
    AgentKeyID = await openShop();
    await until(
      () => ask('Do you wrap gifts?'),
      (answer) => answer.includes('fifty rupees'),
    );
  });

  it.each([
    ['english', 'How much is the copper kettle?'],
    ['hindi', 'Copper kettle कितने का है?'],
    ['marathi', 'Copper kettle ची किंमत किती आहे?'],
  ])('quotes the price from its catalogue in %s', async (_language, question) => {
    await expect(ask(question)).resolves.toMatch(/1,?499/);
  });

  it('gives the stored answer word for word', async () => {
    await expect(ask('do you wrap gifts')).resolves.toBe('Yes, for fifty rupees.');
  });
});
