import { ProviderFailure, ScriptedEmbeddings, ScriptedFileStore, ScriptedVectorStore } from '@parley/ports';
import { Engines } from '../engines';
import { PassageIndex, type PlacedDraft } from './entry-indexing';

const collection = { orgId: 1, knowledgeBaseId: 5 };
const everything = { limit: 100 };

class ScriptedEngines extends Engines {
  readonly embeddings = new ScriptedEmbeddings();
  readonly vectors = new ScriptedVectorStore();
  readonly files = new ScriptedFileStore();
  readonly reranker = undefined;
  readonly rerankMsMax = 0;

  embeddingsFor(): ScriptedEmbeddings {
    return this.embeddings;
  }
}

const drafts = (texts: readonly string[], version = 1): PlacedDraft[] =>
  texts.map((text, ordinal) => ({
    ...{ kind: 'document', text, meaning: text, sourceId: 'document:1', version, ordinal },
    citation: { key: 'key', title: 'terms.pdf' },
  }));

describe('passages with the same words', () => {
  it('are embedded once, within a batch and in the next, and are all stored', async () => {
    const engines = new ScriptedEngines();
    const index = new PassageIndex(engines);
    await index.prepare(collection);
    await index.stage(collection, drafts(['No refunds.', 'We deliver.', 'No refunds.']));
    await index.stage(collection, drafts(['We deliver.', 'No refunds.', 'Open daily.'], 2));
    expect(engines.embeddings.calls).toEqual([['No refunds.', 'We deliver.'], ['Open daily.']]);
    await index.publish(collection, 'document:1', 2);
    const stored = await engines.vectors.list(collection, everything);
    expect(stored.map(({ passage }) => passage.text).sort()).toEqual(['No refunds.', 'Open daily.', 'We deliver.']);
  });

  it('are embedded again after a failure, and after five hundred others', async () => {
    const engines = new ScriptedEngines();
    const index = new PassageIndex(engines);
    engines.embeddings.failNext(new ProviderFailure('scripted', 'told to fail', { retryable: true }));
    await expect(index.vectorsOf(['No refunds.'])).rejects.toThrow('told to fail');
    const [first] = await index.vectorsOf(['No refunds.']);
    await index.vectorsOf(Array.from({ length: 500 }, (_, number) => `Rule ${number}.`));
    expect(await index.vectorsOf(['No refunds.', 'Rule 499.'])).toEqual([first, expect.anything()]);
    expect(engines.embeddings.calls.at(-1)).toEqual(['No refunds.']);
  });
});
