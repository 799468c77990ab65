import { soundOf, wordsOf } from '../language/spelling';
import { stemOf } from '../language/stems';
import { contentTerms } from '../language/terms';

/** What a question says with its words, prepared once for many passages. */
export interface QuestionWords {
  readonly terms: readonly string[];
  readonly sounds: ReadonlyMap<string, string>;
}

export function questionWords(question: string): QuestionWords {
  const terms = [...new Set(contentTerms(question))];
  const sounds = wordsOf(question).flatMap((word) => {
    const sound = soundOf(stemOf(word));
    return sound === undefined ? [] : [[stemOf(word), sound] as const];
  });
  return { terms, sounds: new Map(sounds) };
}

const weightOfSound = 0.8;

/** The share of a question's words that a passage says too, by stem or at least by sound. Long words count more. */
export function coverage({ terms, sounds }: QuestionWords, text: string): number {
  const words = wordsOf(text);
  const stems = new Set(words.map(stemOf));
  const heard = new Set(words.flatMap((word) => soundOf(stemOf(word)) ?? []));
  let said = 0;
  let all = 0;
  for (const term of terms) {
    const weight = Math.min(term.length, 6);
    const sound = sounds.get(term);
    all += weight;
    if (stems.has(term)) said += weight;
    else if (sound !== undefined && heard.has(sound)) said += weight * weightOfSound;
  }
  return all === 0 ? 0 : said / all;
}
