import { foldSpelling, wordsOf } from './spelling';
import { hasPronoun, leansOnBefore, topicsOf } from './topics';

const openers = ['and', 'then', 'what about', 'how about', 'aur', 'ani', 'और', 'फिर', 'आणि', 'मग'].map(
  (words) => `${foldSpelling(words)} `,
);

const topicsOfFollowUpMax = 2;

/** "Why?" and "how much?" ask of nothing by themselves. */
const bare = new Set(['WHY', 'WHO', 'TIME', 'PRICE', 'PAST']);

const bareWordsMax = 3;

/** Whether a question goes on with the one before it: "and on Sunday?", "how long is its warranty?". */
export function goesOn(question: string): boolean {
  const topics = topicsOf(question);
  if (leansOnBefore(question, topics)) return true;
  const count = topics.words.length + topics.concepts.split(' ').length;
  const words = wordsOf(question);
  const said = words.join(' ');
  const isBare = topics.words.length === 0 && topics.concepts.split(' ').every((concept) => bare.has(concept));
  if (isBare && words.length <= bareWordsMax) return true;
  return count <= topicsOfFollowUpMax && (hasPronoun(question) || openers.some((opener) => said.startsWith(opener)));
}

/** A question with what it leaves to the questions before it, oldest first. */
export function inContext(question: string, before: readonly string[]): string {
  return [...before, question].reduce((earlier, next) => (earlier !== '' && goesOn(next) ? joined(next, earlier) : next), '');
}

/** What was asked before is asked of what is named now, or the other way round. */
function joined(question: string, earlier: string): string {
  const { words, concepts } = topicsOf(question);
  const { things, asked } = partsOf(earlier);
  const isOnlyNamed = words.length > 0 && concepts === '';
  return `${question} ${isOnlyNamed ? asked : things || earlier}`;
}

/** The words of a question that name something, and those that ask of it. */
function partsOf(question: string): { things: string; asked: string } {
  const words = wordsOf(question);
  const isThing = (word: string) => topicsOf(word).words.length > 0;
  return { things: words.filter(isThing).join(' '), asked: words.filter((word) => !isThing(word)).join(' ') };
}
