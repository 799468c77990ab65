import { getAgent, listAgentTemplates, readAgentRuntime, saveAgent } from '@parley/contracts';
import { Installation, scratch } from '../installation.suite';

describe('templates', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  it('make a whole agent each, in every language, within the limits of the fields', async () => {
    const { ask } = installation.member();
    for (const { TemplateID } of await ask(listAgentTemplates, {})) {
      for (const LanguageID of [1, 2, 3]) {
        const { AgentKeyID, AgentID } = await ask(saveAgent, { ...scratch, TemplateID, LanguageID });
        const { Version: _, RuntimeConfiguration: __, ...agent } = await ask(getAgent, { AgentKeyID });
        // What was lent must be something that a client could have sent.
        await expect(ask(saveAgent, { ...agent, TemplateID: 0 })).resolves.toMatchObject({ AgentKeyID, Version: 2 });
        const { SystemPrompt, Greeting } = await ask(readAgentRuntime, { AgentID });
        expect(`${SystemPrompt} ${Greeting}`).not.toContain('{{agentName}}');
      }
    }
  });
});
