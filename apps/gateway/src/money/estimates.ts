/** What is known of a question before it is asked. */
interface Asked {
  readonly question?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** So many tokens of a question and its variables are in what is held for every turn. */
const usualTokens = 200;
/** Few languages have fewer letters to a token. */
const lettersPerToken = 2;

/** What to hold for a turn: the usual, and beside it what an unusually long question will at least take. */
export function turnTokens({ question = '', variables = {} }: Asked, tokensPerTurn: number): number {
  let letters = question.length;
  for (const [name, value] of Object.entries(variables)) letters += name.length + String(value).length;
  return tokensPerTurn + Math.max(0, Math.ceil(letters / lettersPerToken) - usualTokens);
}

/** Tokens of an answer of which only the words are known. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / lettersPerToken / 2);
}
