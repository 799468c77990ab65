import { loadConfiguration } from '@parley/service-kit';
import {
  defaultModel,
  languageModelProviders,
  LanguageModelVariables,
  missingSettings,
  modelById,
  openLanguageModel,
} from './index';

const configured = (environment: Record<string, string>) => loadConfiguration(LanguageModelVariables, environment);
const everything = configured({
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  GOOGLE_API_KEY: 'k',
  LLM_BASE_URL: 'http://127.0.0.1:1/v1',
  LLM_MODEL: 'qwen',
  LLAMA_MODEL_PATH: '/models/qwen.gguf',
});

describe('the catalogue of language models', () => {
  const models = languageModelProviders.flatMap(({ models }) => [...models]);

  it('gives every provider and model an id of its own', () => {
    for (const ids of [models.map(({ id }) => id), languageModelProviders.map(({ id }) => id)])
      expect(new Set<number>(ids).size).toBe(ids.length);
  });

  it.each(models)('opens $model', async ({ id, model }) => {
    const catalogued = modelById(id);
    if (!catalogued) throw new Error('not found');
    const opened = await openLanguageModel(catalogued, everything);
    expect(opened.name).toBe(`${catalogued.provider.name}/${model === 'configured' ? 'qwen' : model}`);
  });

  it('loads no client before a model of it is opened', async () => {
    const loaded: string[] = [];
    // chat-completions has no client, and llama-cpp imports its package when a model is loaded.
    const clients = ['@langchain/openai', '@langchain/anthropic', '@langchain/google'];
    for (const client of clients) jest.doMock(client, () => (loaded.push(client), jest.requireActual<object>(client)));
    await jest.isolateModulesAsync(async () => {
      const fresh = await import('./index');
      expect(loaded).toEqual([]);
      await fresh.openLanguageModel(fresh.defaultModel(configured({ ANTHROPIC_API_KEY: 'k' })), everything);
      expect(loaded).toEqual(['@langchain/anthropic']);
    });
    for (const client of clients) jest.dontMock(client);
  });

  it('speaks with the builtin model where nothing is configured, and with the configured one elsewhere', () => {
    expect(defaultModel(configured({})).provider.name).toBe('builtin');
    expect(defaultModel(configured({ ANTHROPIC_API_KEY: 'k' })).provider.name).toBe('anthropic');
    expect(defaultModel({ ...configured({}), LLM_BASE_URL: 'http://127.0.0.1:1/v1' }).provider.name).toBe('builtin');
    expect(defaultModel(configured({ LLAMA_MODEL_PATH: '/models/qwen.gguf' })).provider.name).toBe('llama-cpp');
    expect(defaultModel(everything).provider.name).toBe('openai-compatible');
  });

  it('names the variables that are missing', () => {
    for (const provider of languageModelProviders)
      expect(missingSettings(provider, configured({}))).toEqual([...provider.settings]);
    const [openAiCompatible] = languageModelProviders;
    expect(openAiCompatible.settings).toEqual(['LLM_BASE_URL', 'LLM_MODEL']);
    expect(missingSettings(openAiCompatible, { ...configured({}), LLM_BASE_URL: 'http://127.0.0.1:1/v1' })).toEqual([
      'LLM_MODEL',
    ]);
    expect(missingSettings(openAiCompatible, everything)).toEqual([]);
  });

  it('refuses at the start a server without its model, and a model without its server', () => {
    const either = /LLM_\w+ is set without LLM_\w+: expected both, or neither$/;
    expect(() => configured({ LLM_BASE_URL: 'http://127.0.0.1:1/v1' })).toThrow(either);
    expect(() => configured({ LLM_MODEL: 'qwen' })).toThrow(either);
  });
});
