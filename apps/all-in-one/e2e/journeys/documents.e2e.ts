import { get, post, sendForm } from '../platform/client';
import { demo } from '../platform/platform';
import { until } from '../platform/roster';

const external = '/api/v1/external';

describe('a document', () => {
  it('is uploaded, read and found', async () => {
    const key = demo().workspaceKey;
    const base = {
      KBKeyID: null,
      KnowledgeBaseName: 'Documents of a journey',
      IndustryID: 1,
      AgentTypeID: 1,
      ConversationalModeIDs: '1,2',
    };
    const { KBID } = (await post(`${external}/kb/add-update-kb`, base, key)).body.data;
    const document = new File(['# Parking\n\nThe parking garage closes at eleven at night.\n'], 'parking.md');
    const saved = await sendForm(`${external}/kb-doc/add-update`, key, { KBID: String(KBID), KBDocumentKeyID: '', document });
    expect(saved).toMatchObject({
      status: 200,
      body: { statusCode: 200, data: { KBID, status: expect.stringMatching(/QUEUED|PROCESSING|READY/) } },
    });
    const { KBDocumentKeyID } = saved.body.data;
    const status = () => get(`${external}/kb-doc/status?KBDocumentKeyID=${KBDocumentKeyID}`, key);
    const settled = await until(status, ({ body }) => ['READY', 'FAILED'].includes(body.data.status));
    expect(settled.body.data).toMatchObject({ status: 'READY', reason: null });
    const found = await post(`${external}/kb/search`, { KBID, query: 'When does the parking garage close?', topK: 3 }, key);
    expect(JSON.stringify(found.body.data)).toContain('eleven at night');
  });
});
