/** What a run does to one of the knowledge bases, or to one of its questions. */
export interface KnowledgeStep {
  readonly what: 'open' | 'rename' | 'remove' | 'ask' | 'answer' | 'forget';
  readonly base: number;
  readonly question: number;
  /** One of a few, so that sometimes the same text is saved again. */
  readonly text: string;
}

interface Question {
  text: string;
  isGone: boolean;
}

interface Base {
  name: string;
  isGone: boolean;
  /** In the order in which they were added. */
  readonly questions: Question[];
}

/** Knowledge bases and their questions as the specification describes them, simple enough to trust without a test of its own. */
export class KnowledgeModel {
  /** In the order in which they were created. */
  readonly bases: Base[] = [];

  /** The answer that the service must give. */
  step({ what, base: baseAt, question: questionAt, text }: KnowledgeStep): string {
    if (what === 'open') {
      this.bases.push({ name: text, isGone: false, questions: [] });
      return 'SAVED';
    }
    const base = chosen(this.bases, baseAt);
    if (!base) return 'nothing to do';
    if (what === 'answer' || what === 'forget')
      return this.ofQuestion(what, base, { question: chosen(base.questions, questionAt), text });
    if (base.isGone) return 'NOT_FOUND';
    if (what === 'ask') {
      // A question that already exists is that one, here with the same answer.
      if (asks(base, text)) return 'UNCHANGED';
      base.questions.push({ text, isGone: false });
      return 'CREATED';
    }
    Object.assign(base, what === 'rename' ? { name: text } : { isGone: true });
    return what === 'rename' ? 'SAVED' : 'REMOVED';
  }

  /** Every remaining base with its number of remaining questions. */
  list(): string[] {
    const left = this.bases.filter(({ isGone }) => !isGone);
    return left.map(({ name, questions }) => `${name} ${questions.filter((question) => !question.isGone).length}`);
  }

  private ofQuestion(
    what: 'answer' | 'forget',
    base: Base,
    { question, text }: { question: Question | undefined; text: string },
  ): string {
    if (!question) return 'nothing to do';
    if (base.isGone || question.isGone) return 'NOT_FOUND';
    if (what === 'answer' && question.text === text) return 'UNCHANGED';
    if (what === 'answer' && asks(base, text)) return 'CONFLICT';
    Object.assign(question, what === 'answer' ? { text } : { isGone: true });
    return what === 'answer' ? 'UPDATED' : 'REMOVED';
  }
}

function asks({ questions }: Base, text: string): boolean {
  return questions.some((question) => !question.isGone && question.text === text);
}

/** One of the existing elements. */
export function chosen<T>(all: readonly T[], at: number): T | undefined {
  return all[at % Math.max(1, all.length)];
}
