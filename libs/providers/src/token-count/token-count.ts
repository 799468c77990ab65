import { countTokens as countPieces } from 'gpt-tokenizer/encoding/o200k_base';

// What a user types is text, also where it looks like a control token of a model.
const asPlainText = { disallowedSpecial: new Set<string>() };

/** Tokens of a text by the vocabulary of the current OpenAI models: exact for those, close for others. */
export function countTokens(text: string): number {
  return countPieces(text, asPlainText);
}
