import { areOneWord, soundOf, type Topics, topicsOf, type WordForms } from '@parley/language';

/** What a description of goods says of nothing in particular. */
const ofAnything = new Set(['PRICE', 'PRODUCT']);

/** The items whose topics are all that a description speaks of; undefined for one that speaks of nothing in particular. */
export function itemsDescribed<Item extends { readonly topics: Topics }>(
  description: string,
  items: readonly Item[],
): Item[] | undefined {
  const { words, concepts } = topicsOf(description);
  const wanted = concepts.split(' ').filter((concept) => concept !== '' && !ofAnything.has(concept));
  if (words.length === 0 && wanted.length === 0) return undefined;
  return items.filter(({ topics }) => {
    const known = topics.concepts.split(' ');
    const isNamed = (word: WordForms) => topics.words.some((other) => areOneName(word, other));
    return wanted.every((concept) => known.includes(concept)) && words.every(isNamed);
  });
}

const shortSoundMin = 2;
const isLatin = (text: string) => /[a-z]/.test(text);

/** Names are short words: that "बॅग" is a bag, two consonants have to tell. */
function areOneName(word: WordForms, other: WordForms): boolean {
  if (areOneWord(word, other)) return true;
  const { stem } = word;
  const sound = soundOf(stem, shortSoundMin);
  return sound !== undefined && isLatin(stem) !== isLatin(other.stem) && sound === soundOf(other.stem, shortSoundMin);
}
