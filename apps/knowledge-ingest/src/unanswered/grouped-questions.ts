import type { listUnanswered, readUnanswered } from '@parley/contracts';
import { topicsOf } from '@parley/language';
import type { z } from 'zod';
import { normalizedQuestion } from '../faqs/faq-matching';

export type Wording = z.output<typeof readUnanswered.reply>['wordings'][number];
export type Group = z.input<typeof listUnanswered.reply>['rows'][number];

const examplesMax = 5;

/** Wordings that ask about the same thing as one question, in whatever language; the latest wording speaks for all. */
export function groupedQuestions(wordings: readonly Wording[]): Group[] {
  const groups = Map.groupBy(wordings, ({ question }) => subjectOf(question));
  return [...groups.values()].map((alike) => {
    const inTime = alike.toSorted((one, other) => other.lastAskedOn.localeCompare(one.lastAskedOn));
    const firsts = alike.map(({ firstAskedOn }) => firstAskedOn).sort();
    return {
      question: inTime[0]?.question ?? '',
      count: alike.reduce((sum, { count }) => sum + count, 0),
      examples: inTime.slice(0, examplesMax).map(({ question }) => question),
      languages: [...new Set(alike.flatMap(({ languages }) => languages))].sort(),
      firstAskedOn: firsts[0] ?? '',
      lastAskedOn: inTime[0]?.lastAskedOn ?? '',
    };
  });
}

/** The concepts of a question and how its other words sound: the same for "repair kettles?" and "केतली की मरम्मत". */
function subjectOf(question: string): string {
  const { concepts, words } = topicsOf(question);
  const sounds = words.map(({ stem, sounds }) => sounds.at(-1) ?? stem).sort();
  return concepts === '' && sounds.length === 0 ? normalizedQuestion(question) : [concepts, ...sounds].join(' ');
}
