import { LRUCache } from 'lru-cache';
import { conceptOf, spokenTogether, wantedBy } from './concepts';
import { foldSpelling, heardAs, soundOf, wordLettersMax, wordsOf } from './spelling';
import { stemOf } from './stems';

const smallWords = new Set(
  (
    'a an the is are was were be been am do does did can could will would shall should may might must have has had i me my we us our you your ' +
    'he she it its they them their this that these those of to in on at by for from with as and or if then than so what which who whom when ' +
    'where why how there here about into please tell want know need like get any some also just hi hello ok okay um uh ' +
    'है हैं हो था थी थे का की के को से में पर और या कि तो भी ही यह वह ये वे क्या कब कहाँ कहां कैसे कितना कितनी कितने कौन मैं मुझे मेरा मेरी मेरे आप आपका आपकी ' +
    'आपके हम हमें हमारा हमारे कर करना करें सकता सकते सकती होता होती होते लिए चाहिए कृपया बताइए बताओ बताएं एक कोई कुछ जो अगर अपना अपने रहा रही रहे गया ' +
    'आहे आहेत आहात का काय कधी कुठे कसे कसा कशी किती कोण मी मला माझे माझा माझी तुम्ही तुमचे तुमचा तुमची तुमच्या आम्ही आणि किंवा हे ते तो ती हा ही पण ' +
    'साठी मध्ये करता येते येतो येईल शकतो शकते होते असते असतो असेल पाहिजे सांगा एक काही जर आपले आपण व'
  )
    .split(' ')
    .map(foldSpelling),
);

/** Whether a word is a stop word. */
export function isStopWord(word: string): boolean {
  return smallWords.has(word);
}

/** The content words of a text: stemmed, without stop words, with repetitions. */
export function contentTerms(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !smallWords.has(word))
    .map((word) => formsOf(word).stem);
}

/** The sounds of a word with and without its ending, since "ceiling" is not a form of "ceil". */
export function soundsOf(word: string, lengthMin?: number): string[] {
  return [...new Set([soundOf(word, lengthMin), soundOf(stemOf(word), lengthMin)])].filter((sound) => sound !== undefined);
}

/** The stem of a word, and its sounds with and without its ending. */
export interface WordForms {
  readonly stem: string;
  readonly sounds: readonly string[];
  /** Its sound by the rules of Hindi and Marathi. */
  readonly heard?: string | undefined;
}

const wordsRemembered = 50_000;
const remembered = new LRUCache<string, WordForms>({ max: wordsRemembered });

/** The stem and sounds of a word, cached since texts repeat their words. */
export function formsOf(word: string): WordForms {
  // What is too long for a word is not worth its memory.
  if (word.length > wordLettersMax) return { stem: word, sounds: [] };
  const known = remembered.get(word);
  if (known) return known;
  const forms = { stem: stemOf(word), sounds: soundsOf(word), heard: heardAs(word) };
  remembered.set(word, forms);
  return forms;
}

/** The search terms of a text: its content words, their concepts, and their sounds, which match the other script and misspellings. */
export function indexTerms(text: string): string[] {
  const content = contentTerms(text);
  const sounds = wordsOf(text).flatMap((word) => (smallWords.has(word) ? [] : formsOf(word).sounds));
  return [...content, ...content.flatMap(conceptTerm), ...sounds.map((sound) => `q${sound}q`)];
}

/** The search terms of a question, without question words such as "where", which match nothing in a text. */
export function questionTerms(question: string): string[] {
  const wanted = [...spokenTogether(question).concepts, ...wordsOf(question).flatMap((word) => wantedBy(word) ?? [])];
  return [...new Set([...indexTerms(question), ...wanted.map(termOfConcept)])];
}

const termOfConcept = (concept: string) => `x${concept.toLowerCase()}x`;
const conceptTerm = (stem: string) => {
  const concept = conceptOf(stem);
  return concept === undefined ? [] : [termOfConcept(concept)];
};

/** Whether most letters of a text are Devanagari. */
export function isDevanagari(text: string): boolean {
  return (text.match(/[\u0900-\u097f]/gu)?.length ?? 0) > (text.match(/[a-z]/giu)?.length ?? 0);
}
