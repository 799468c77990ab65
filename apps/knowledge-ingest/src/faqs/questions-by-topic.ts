import { haveSameTopics, leansOnBefore, type Topics, topicsOf } from '../language/topics';
import { differsInMeaning } from './faq-matching';

/** A question with a stored answer. */
export interface StoredQuestion {
  readonly id: number;
  readonly question: string;
}

/** The stored questions of a knowledge base by what they are about: a paraphrase is found without a vector, in any language. */
export class QuestionsByTopic {
  private readonly byConcepts = new Map<string, { stored: StoredQuestion; topics: Topics }[]>();

  readonly count: number;

  constructor(questions: readonly StoredQuestion[]) {
    this.count = questions.length;
    for (const stored of questions) {
      const topics = topicsOf(stored.question);
      const alike = this.byConcepts.get(topics.concepts);
      if (alike) alike.push({ stored, topics });
      else this.byConcepts.set(topics.concepts, [{ stored, topics }]);
    }
  }

  /** Undefined when none asks the same, and when several do: then somebody has to read closer. */
  find(asked: string): StoredQuestion | undefined {
    const topics = topicsOf(asked);
    if (leansOnBefore(asked, topics)) return undefined;
    const alike = this.byConcepts.get(topics.concepts) ?? [];
    const [only, another] = alike.filter(
      (one) => haveSameTopics(topics, one.topics) && !differsInMeaning(asked, one.stored.question),
    );
    return another ? undefined : only?.stored;
  }
}
