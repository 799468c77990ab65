import { getAgent, listAgentTemplates, readAgentRuntime, saveAgent } from '@parley/contracts';
import { Installation, scratch } from '../../installation.suite';

describe('templates', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  it('produce a complete agent in every language, within all field limits', async () => {
    const { ask } = installation.member();
    for (const { TemplateID } of await ask(listAgentTemplates, {})) {
      for (const LanguageID of [1, 2, 3]) {
        const { AgentKeyID, AgentID } = await ask(saveAgent, { ...scratch, TemplateID, LanguageID });
        const { Version: _, RuntimeConfiguration: __, ...agent } = await ask(getAgent, { AgentKeyID });
        // Inherited values must be ones that a client could have sent.
        await expect(ask(saveAgent, { ...agent, TemplateID: 0 })).resolves.toMatchObject({ AgentKeyID, Version: 2 });
        const { SystemPrompt, Greeting } = await ask(readAgentRuntime, { AgentID });
        expect(`${SystemPrompt} ${Greeting}`).not.toContain('{{agentName}}');
      }
    }
  });
});
