const charactersPerLatinToken = 4;
const charactersPerDevanagariToken = 1.6;

/** How many tokens a text will take in a prompt, rather too many than too few: no tokenizer fits every model. */
export function estimatedTokens(text: string): number {
  const devanagari = text.match(/[\u0900-\u097f]/gu)?.length ?? 0;
  return Math.ceil(devanagari / charactersPerDevanagariToken + (text.length - devanagari) / charactersPerLatinToken);
}
