import { defineLanguageModelVendor } from '../vendor';

/** The model that needs no settings, for showing. */
export const builtin = defineLanguageModelVendor({
  id: 1,
  name: 'builtin',
  isLocal: true,
  grade: 'demo',
  latency: 'instant',
  models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  variables: {},
  settings: [],
  open: async () => new (await import('.')).BuiltinModel(),
});
