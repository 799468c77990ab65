import { areOneWord, type Topics, topicsOf, wordsOf } from '@parley/language';
import type { Passage } from '@parley/ports';

/** The question as asked, and as completed from earlier ones. */
export interface ExcerptQuestion {
  readonly question: string;
  readonly inContext: string;
}

interface Sentence {
  readonly text: string;
  readonly topics: Topics;
}

/** Whether a sentence is about one of the things asked. */
type Topic = (said: Topics) => boolean;

/** If the best passages do not contain the answer, the others rarely do, and reading them takes time. */
const passagesReadMax = 4;
const unread = { text: '', score: 0 };
const sentencesMax = 3;
const headingWordsMax = 2;
/** The least share of the question that must be covered. */
const shareMin = 0.5;
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
/** These concepts say what is wanted, and many answers do not repeat them. */
const askingOnly = ['TIME', 'WHY', 'WHO', 'PAST', 'CLOCK'];

/**
 * The sentences of each passage that answer a question, verbatim; empty if another passage covers more of it, or this one covers
 * too little. Used where no model reads the passages: a passage that is merely similar must not be given as the answer.
 */
export function excerptsOf({ question, inContext }: ExcerptQuestion, passages: readonly Passage[]): string[] {
  const topics = topicsIn(question);
  const wanted = topicsIn(inContext);
  const heard = [...wanted, ...asking(inContext)];
  const found = passages.slice(0, passagesReadMax).map((passage) => {
    const lines = linesOf(passage.text);
    const excerpt = excerptOf(passage.kind, lines, heard);
    const sentences = passage.kind === 'document' ? excerpt : lines.flat();
    const isAnswer = shareOf(wanted, sentences) > shareMin && (topics.length === 0 || shareOf(topics, sentences) >= shareMin);
    const isMeant = passage.kind !== 'catalogue' || isNamed(lines, wanted);
    return { text: textOf(excerpt), score: isAnswer && isMeant ? shareOf(heard, sentences) : 0 };
  });
  const best = Math.max(...found.map(({ score }) => score));
  return passages.map((_, place) => {
    const { text, score } = found[place] ?? unread;
    return score > 0 && score === best ? text : '';
  });
}

function topicsIn(question: string): Topic[] {
  const { words } = topicsOf(question);
  const matchers = words.map((word) => (text: Topics) => text.words.some((other) => areOneWord(word, other)));
  return [
    ...conceptsIn(question)
      .filter((concept) => !askingOnly.includes(concept))
      .map(speaksOf),
    ...matchers,
  ];
}

const asking = (question: string): Topic[] =>
  conceptsIn(question)
    .filter((concept) => askingOnly.includes(concept))
    .map(speaksOf);
const conceptsIn = (question: string): string[] => topicsOf(question).concepts.split(' ').filter(Boolean);
const speaksOf =
  (concept: string): Topic =>
  (text) =>
    text.concepts.split(' ').includes(concept);

/** The share of the question that these sentences cover together. */
function shareOf(wanted: readonly Topic[], said: readonly Sentence[]): number {
  return wanted.length === 0 ? 0 : wanted.filter((isSaid) => said.some(({ topics }) => isSaid(topics))).length / wanted.length;
}

/** Whether the name and category match: every catalogue entry has a price, so only these show which entry is meant. */
function isNamed([line]: readonly (readonly Sentence[])[], wanted: readonly Topic[]): boolean {
  const name = line?.[0];
  return name !== undefined && shareOf(wanted, [name]) > 0;
}

function excerptOf(
  kind: Passage['kind'],
  lines: readonly (readonly Sentence[])[],
  wanted: readonly Topic[],
): readonly Sentence[] {
  // A stored question is not read back to the person who asked it.
  if (kind === 'faq') return lines.slice(1).flat();
  if (kind === 'catalogue') return entryOf(lines.flat(), wanted);
  // A line is a table row, which makes sense without the next one.
  const runs = lines.flatMap((line) => line.map((_, start) => runFrom(line.slice(start))));
  const scored = runs.map((run) => ({ run, score: shareOf(wanted, run.slice(0, 1)) + shareOf(wanted, run) }));
  return scored.toSorted((one, other) => other.score - one.score)[0]?.run ?? [];
}

/** The name of an entry, and the parts of it that were asked for. */
function entryOf([name, ...said]: readonly Sentence[], wanted: readonly Topic[]): readonly Sentence[] {
  const relevant = said.filter((sentence) => shareOf(wanted, [sentence]) > 0);
  return [...(name ? [name] : []), ...(relevant.length > 0 ? relevant : said.slice(0, sentencesMax - 1))];
}

/** Whole sentences in order, up to the next heading. */
function runFrom(said: readonly Sentence[]): readonly Sentence[] {
  const isHeading = ({ text }: Sentence) => wordsOf(text).length <= headingWordsMax && !/\d/u.test(text);
  const run = said.slice(0, sentencesMax);
  const heading = run.findIndex((sentence, place) => place > 0 && isHeading(sentence));
  return heading === -1 ? run : run.slice(0, heading);
}

function linesOf(text: string): Sentence[][] {
  return text.split('\n').map((line) =>
    [...sentences.segment(line.replace(/\s+/gu, ' '))]
      .map(({ segment }) => segment.trim())
      .filter(Boolean)
      .map((sentence) => ({ text: sentence, topics: topicsOf(sentence) })),
  );
}

const textOf = (said: readonly Sentence[]): string => said.map(({ text }) => text).join(' ');
