import type { EmbeddingCapabilities, Hit } from '@parley/ports';
import { knownPassages, withinLimits } from './selection';
import { estimatedTokens } from '../documents/parsing/chunking';

const scale: EmbeddingCapabilities = {
  provider: 'scripted',
  space: { name: 'scripted', dimensions: 16 },
  textsPerCall: 1,
  charactersPerText: 100,
  similarity: { related: 0.4, paraphrase: 0.8, acrossScripts: false },
};

function hit(text: string, score: number, ordinal = 0): Hit {
  return { passage: { sourceId: 'document:1', version: 1, ordinal, kind: 'document', text, citation: {} }, score };
}

const known = (question: string, dense: Hit[], lexical: Hit[] = dense) =>
  knownPassages(question, { dense, lexical }, scale, 5).map(({ passage }) => passage.text);

describe('what a question is answered from', () => {
  it('is nothing if nothing is near enough', () => {
    expect(known('who sings this song', [hit('The kettle has a warranty of two years.', 0.1)])).toEqual([]);
  });

  it('contains a text once, even if two documents have it', () => {
    const twice = [hit('The warranty lasts two years.', 0.7, 0), hit('The warranty  lasts TWO years', 0.7, 1)];
    expect(known('how long does the warranty last', twice)).toEqual(['The warranty lasts two years.']);
  });

  it('fits the prompt’s remaining tokens, most certain first', () => {
    const found = ['first', 'second', 'third'].map((word) => ({ ...hit(`${word} ${'word '.repeat(40)}`, 1), score: 0.9 }));
    const each = estimatedTokens(found[0]?.passage.text ?? '');
    const kept = (topK: number, tokensMax: number) =>
      withinLimits(found, { topK, tokensMax }).map(({ passage }) => passage.text.split(' ')[0]);
    expect(kept(5, each * 3 + 5)).toEqual(['first', 'second', 'third']);
    expect(kept(5, each * 2 + 5)).toEqual(['first', 'second']);
    expect(kept(1, each * 3 + 5)).toEqual(['first']);
    expect(kept(5, each - 1)).toEqual([]);
  });
});
