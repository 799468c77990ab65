import { wordsOf } from '../language/spelling';
import { conceptOf } from '../language/concepts';
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
const weightOfConcept = 0.7;

/** The share of a question's words that a passage says too, by stem or at least by sound or concept. Long words count more. */
export function coverage({ terms, sounds }: QuestionWords, text: string): number {
  const stems = new Set<string>();
  const heard = new Set<string>();
  const meant = new Set<string>();
  for (const form of wordsOf(text).map(formsOf)) {
    stems.add(form.stem);
    const concept = conceptOf(form.stem);
    if (concept !== undefined) meant.add(concept);
    for (const sound of form.sounds) heard.add(sound);
  }
  let said = 0;
  let all = 0;
  for (const term of terms) {
    const weight = Math.min(term.length, 6);
    all += weight;
    if (stems.has(term)) said += weight;
    else if (sounds.get(term)?.some((sound) => heard.has(sound))) said += weight * weightOfSound;
    else if (meant.has(conceptOf(term) ?? '')) said += weight * weightOfConcept;
  }
  return all === 0 ? 0 : said / all;
}
