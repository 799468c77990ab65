import { countTokens as countPieces } from 'gpt-tokenizer/encoding/o200k_base';

// User input is plain text, even if it looks like a control token.
const asPlainText = { disallowedSpecial: new Set<string>() };

/** More letters would block the event loop for too long. */
const countedMax = 32_000;
const samples = 16;
/** Words are split at this length, since tokenizing takes quadratic time: a megabyte of one letter would take hours. No token is as long. */
const wordMax = 64;
const longWords = new RegExp(`\\S{${wordMax + 1},}|\\s{${wordMax + 1},}`, 'g');

/**
 * Counts tokens by the vocabulary of current OpenAI models, which is approximate for others. The count of a text of more than 32,000
 * letters is estimated from samples across it, so that no text takes long.
 */
export function countTokens(text: string): number {
  if (text.length <= countedMax) return countAll(text);
  const [step, size] = [text.length / samples, countedMax / samples];
  let counted = 0;
  for (let at = 0; at < samples; at += 1) counted += countAll(text.slice(Math.floor(at * step), Math.floor(at * step) + size));
  return Math.round((counted * text.length) / countedMax);
}

function countAll(text: string): number {
  let [tokens, from] = [0, 0];
  for (const { 0: word, index } of text.matchAll(longWords)) {
    tokens += countPieces(text.slice(from, index), asPlainText);
    for (let at = 0; at < word.length; at += wordMax) tokens += countPieces(word.slice(at, at + wordMax), asPlainText);
    from = index + word.length;
  }
  return tokens + countPieces(text.slice(from), asPlainText);
}
