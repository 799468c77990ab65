import type { Question } from './question';
import type { Ranking } from './ranking';

export interface Answered {
  readonly question: Question;
  readonly ranking: Ranking;
}

interface Figures {
  readonly questions: number;
  readonly top1: number;
  readonly mrr: number;
}

/** How often the right topic came first, and its rank. */
export function figuresOf(answered: readonly Answered[]): Figures {
  const ranks = answered.map(({ question, ranking }) => ranking.topics.indexOf(question.topic ?? '') + 1);
  const mean = (values: number[]) => (values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length);
  return {
    questions: answered.length,
    top1: mean(ranks.map((rank) => (rank === 1 ? 1 : 0))),
    mrr: mean(ranks.map((rank) => (rank === 0 ? 0 : 1 / rank))),
  };
}

/** How well the score separates answerable questions from unanswerable ones: 1 always, 0.5 by chance. */
export function areaUnderCurve(answered: readonly Answered[]): number {
  const [known, unknown] = [
    answered.filter(({ question }) => question.topic),
    answered.filter(({ question }) => !question.topic),
  ];
  let wins = 0;
  for (const { ranking: k } of known)
    for (const { ranking: u } of unknown) wins += k.sureness > u.sureness ? 1 : k.sureness === u.sureness ? 0.5 : 0;
  return wins / (known.length * unknown.length);
}
