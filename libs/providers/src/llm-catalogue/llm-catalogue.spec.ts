import { llmModelOf, llmProviders } from '.';

describe('the catalogue of language models', () => {
  it('gives no id twice', () => {
    const ids: number[] = llmProviders.map(({ id }) => id);
    const models: number[] = llmProviders.flatMap((provider) => provider.models.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(models).size).toBe(models.length);
  });

  it('finds a model by its public id', () => {
    expect(llmModelOf(1)).toEqual({ provider: 'builtin', providerId: 1, model: 'extractive', contextTokens: 8192 });
    expect(llmModelOf(999)).toBeUndefined();
  });
});
