import { foldSpelling, isStopWord, wordsOf } from '@parley/language';
import type { FactItem } from '../facts/base-facts';
import { isEnumerated } from '../question/idioms';
import { likenessToName } from '../question/likeness';
import type { NeededWord } from '../question/needs';

const onlyWords: ReadonlySet<string> = new Set(
  'only just alone solely sirf keval fakt phakt सिर्फ सिर्फ़ केवल फक्त फ़क्त'.split(' ').map(foldSpelling),
);
const saysOnly = (text: string): boolean => wordsOf(text).some((word) => onlyWords.has(word));
const joinsTwo = /\s(?:and|with|plus|और|आणि|व|तथा|के साथ|सह|aur|ani)\s|[&+]/iu;

interface Named {
  readonly question: string;
  readonly needs: readonly NeededWord[];
  /** The items that the question names. */
  readonly items: readonly FactItem[];
}

/**
 * Chooses between services such as "Polish only" and "Wash and polish": a question that names only polishing means the first, and one that
 * names both parts means the second. Undefined if the question names one part, and that part is not offered alone.
 */
export function offeredAlone({ question, needs, items }: Named, all: readonly FactItem[]): readonly FactItem[] | undefined {
  const isSaid = (word: string) => needs.some((need) => likenessToName(need, word) > 0);
  const alone = all.filter(({ kind, name }) => kind === 'entry' && saysOnly(name) && contentOf(name).every(isSaid));
  const isOnly = saysOnly(question);
  if (alone.length === 0) return isOnly && items.some(({ name }) => isSaidInPart(name, isSaid)) ? undefined : items;
  const shares = ({ name }: FactItem) => needs.some((need) => [name, ...alone.map((one) => one.name)].every(isHeld(need)));
  const isWhole = (item: FactItem) => shares(item) && contentOf(item.name).every(isSaid);
  const others = items.filter((item) => !alone.includes(item));
  if (!isOnly && others.some(isWhole)) return others;
  return [...alone, ...(isEnumerated(question) ? others.filter((item) => !shares(item)) : [])];
}

const isHeld = (need: NeededWord) => (name: string) => likenessToName(need, name) > 0;

/** Whether a name joins two services, and the question names one of them. */
function isSaidInPart(name: string, isSaid: (word: string) => boolean): boolean {
  const parts = name.split(joinsTwo).map(contentOf);
  return parts.length > 1 && parts.some((part) => part.some(isSaid)) && parts.some((part) => !part.some(isSaid));
}

const contentOf = (name: string): string[] =>
  wordsOf(name).filter((word) => !isStopWord(word) && !onlyWords.has(word) && word.length > 1);
