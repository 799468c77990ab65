import { wordsOf } from '../language/spelling';
import { contentTerms, formsOf } from '../language/terms';

/** What a question says with its words, prepared once for many passages. */
export interface QuestionWords {
  readonly terms: readonly string[];
  readonly sounds: ReadonlyMap<string, readonly string[]>;
}

export function questionWords(question: string): QuestionWords {
  const terms = [...new Set(contentTerms(question))];
  return { terms, sounds: new Map(wordsOf(question).map(formsOf).map(({ stem, sounds }) => [stem, sounds])) };
}

const weightOfSound = 0.8;

/** The share of a question's words that a passage says too, by stem or at least by sound. Long words count more. */
export function coverage({ terms, sounds }: QuestionWords, text: string): number {
  const forms = wordsOf(text).map(formsOf);
  const stems = new Set(forms.map(({ stem }) => stem));
  const heard = new Set(forms.flatMap((form) => form.sounds));
  let said = 0;
  let all = 0;
  for (const term of terms) {
    const weight = Math.min(term.length, 6);
    all += weight;
    if (stems.has(term)) said += weight;
    else if (sounds.get(term)?.some((sound) => heard.has(sound))) said += weight * weightOfSound;
  }
  return all === 0 ? 0 : said / all;
}
