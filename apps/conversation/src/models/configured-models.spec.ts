import { loadConfiguration } from '@parley/service-kit';
import { ConversationVariables } from '../config';
import { anAgent } from '../surroundings.suite';
import { ConfiguredModels } from './configured-models';

describe('the models of an agent', () => {
  const asked: number[] = [];
  const models = (environment: Record<string, string>, keys: Record<number, string> = {}) => {
    asked.length = 0;
    const keyOf = async ({ id }: { id: number }): Promise<string | undefined> => {
      asked.push(id);
      return keys[id];
    };
    return new ConfiguredModels(loadConfiguration(ConversationVariables, environment), { keyOf }, { firstEventMs: 8000 });
  };
  const agent = (LLMModelID: number | null, LLMFallbackModelIDs: number[] = []) => {
    const usual = anAgent();
    return { ...usual, RuntimeConfiguration: { ...usual.RuntimeConfiguration, LLMModelID, LLMFallbackModelIDs } };
  };

  it('are the installation’s own where the agent names none, without asking for anybody’s key', async () => {
    await expect(models({}).of(agent(null), 1)).resolves.toMatchObject({ name: 'builtin/extractive' });
    await expect(models({ OPENAI_API_KEY: 'k' }).of(agent(null), 1)).resolves.toMatchObject({ name: 'openai/gpt-4.1-mini' });
    expect(asked).toEqual([]);
  });

  it('follow the order of the agent and leave out what has no key', async () => {
    const { name } = await models({ GOOGLE_API_KEY: 'k' }, { 3: 'own key' }).of(agent(22, [31, 41]), 1);
    expect(name).toBe('anthropic/claude-haiku-4-5, google/gemini-2.5-flash');
  });

  it('say what is missing when none can work, and which model this build has not', async () => {
    await expect(models({}).of(agent(22), 1)).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
    await expect(models({}).of(agent(4711), 1)).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
  });

  it('stay the same chain for the same agent, so that it remembers which model fails', async () => {
    const chosen = models({ OPENAI_API_KEY: 'k' });
    expect(await chosen.of(agent(null), 1)).toBe(await chosen.of(agent(null), 2));
  });
});
