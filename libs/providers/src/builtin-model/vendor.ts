import type { MeaningReader } from '.';
import { defineLanguageModelVendor, modelVariables } from '../vendor';

/** The model that needs no settings, for showing. It reads with the multilingual model where that was added to the machine. */
export const builtin = defineLanguageModelVendor({
  id: 1,
  name: 'builtin',
  isLocal: true,
  grade: 'demo',
  latency: 'instant',
  models: [{ id: 1, model: 'extractive', contextTokens: 8192 }],
  variables: modelVariables,
  settings: [],
  open: async ({ config }) => new (await import('.')).BuiltinModel(await readerIn(config.PARLEY_MODELS ?? '')),
});

/** One for all agents of a process: what it has read of a base, it has read for all of them. */
let reader: Promise<MeaningReader | undefined> | undefined;

function readerIn(modelsFolder: string): Promise<MeaningReader | undefined> {
  return (reader ??= openReader(modelsFolder));
}

async function openReader(modelsFolder: string): Promise<MeaningReader | undefined> {
  const [{ LocalEmbeddings }, { MeaningReader }] = await Promise.all([import('../local-embeddings'), import('.')]);
  const embeddings = LocalEmbeddings.ofAllLanguages(modelsFolder);
  return embeddings && new MeaningReader(embeddings);
}
