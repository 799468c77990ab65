import { refersBack, hasPronoun, withDecimals, withoutMarks, withRunsEnded } from '@parley/language';
import { type ModelRequest, unknownMark } from '@parley/ports';
import { followed, inItsContext, namesItem, namesOnlyTime, opener, orderAfter, picksOne } from './answers/follow-up';
import { inDoubt, textsOf, withoutBeingSure } from './answers/nearest-answer';
import type { SentenceMeanings, TextsToRead } from './answers/nearness';
import { answered, subjectOf, withRules } from './answers/plain-answer';
import { fromSchedule } from './answers/schedule-answer';
import { ofMentionedItems } from './answers/mentioned-items';
import { isOfOneOnly, withoutTotal } from './answers/told-prices';
import { withoutOthers } from './answers/variants';
import { factsOf } from './facts/read-facts';
import { ofPerson, withPlainOr } from './question/idioms';
import { askedIn, type NeededWord } from './question/needs';

/** The question, and the questions before it if it is a follow-up. */
function askedBy({ messages }: Pick<ModelRequest, 'messages'>) {
  const questions = messages
    .filter(({ role }) => role === 'user')
    .slice(-questionsBefore - 1)
    .map(({ text }) => withPlainOr(withDecimals(readable(text))));
  const question = questions.at(-1) ?? '';
  const before = questions.slice(0, -1).slice(-questionsBefore);
  const goes =
    refersBack(question) || hasPronoun(question) || opener.test(question) || picksOne(question) || namesOnlyTime(question);
  const continues = before.length > 0 && goes;
  return { question, before, continues, inFull: continues ? inItsContext(question, before) : question };
}

const questionsBefore = 3;

/** What is read of a long message: its beginning and its end, where people ask. The patterns of sentences take the square of a length. */
const lettersReadMax = 2_000;

function readable(text: string): string {
  const half = lettersReadMax / 2;
  return withRunsEnded(text.length <= lettersReadMax ? text : `${text.slice(0, half)} ${text.slice(-half)}`);
}

type Passages = ModelRequest['grounds']['passages'];
const readablePassages = (passages: Passages): Passages =>
  passages.map((each) => ({ ...each, text: withRunsEnded(each.text), excerpt: withRunsEnded(each.excerpt) }));

/** The texts that the sentence model must read before it can compare them with the question. */
export function textsToRead(request: ModelRequest): TextsToRead {
  const { question, inFull } = askedBy(request);
  const { knowledge, passages, schedule } = request.grounds;
  const { passages: texts, questions } = textsOf(factsOf(knowledge ?? '', readablePassages(passages)), schedule);
  return { passages: texts, questions: [question, inFull, ...questions] };
}

/**
 * Answers a question from the facts: with a computed, composed or quoted answer, or by saying that it does not know and whom to ask. With a
 * sentence model, it finds the nearest facts more reliably, and doubts answers that match by words alone.
 */
export function answerFrom(request: ModelRequest, meanings?: SentenceMeanings): string {
  return withoutMarks(composed(request, meanings));
}

function composed(request: ModelRequest, meanings: SentenceMeanings | undefined): string {
  const { language, knowledge, schedule } = request.grounds;
  const messages = request.messages.map((message) => ({ ...message, text: readable(message.text) }));
  const passages = readablePassages(request.grounds.passages);
  const { question, before, continues, inFull } = askedBy(request);
  const all = factsOf(knowledge ?? '', passages);
  const meant = withoutOthers(all, inFull);
  const facts = { ...all, statements: meant.statements };
  const asking = {
    question,
    language,
    facts,
    earlier: messages
      .slice(-3, -1)
      .map(({ text }) => text)
      .join('\n'),
  };
  const analysed = askedIn(question);
  const subject = subjectOf(facts);
  const ofHours = { question, analysed, language, subject, isOffered: (need: NeededWord) => namesItem(need, facts.items) };
  const isOfPerson = continues && ofPerson.test(question);
  const scheduled =
    schedule && !isOfPerson ? fromSchedule({ ...ofHours, before: continues ? before.at(-1) : undefined }, schedule) : undefined;
  if (scheduled !== undefined) return scheduled;
  const ofSeveral = before.length > 0 ? ofMentionedItems(asking, messages, before) : undefined;
  if (ofSeveral !== undefined) return withRules(ofSeveral, asking);
  const answer = orderAfter(asking, before) ?? (continues ? followed(asking, before) : answered(asking, question));
  // A follow-up such as "And for six months?" is answered by the price for that time, which is not the price of one.
  const mayCount = !continues || analysed.wants.size > 0;
  if (answer !== undefined && mayCount && isOfOneOnly(answer, question, analysed))
    return `${withoutTotal(answer, language)}${unknownMark}`;
  const known = { facts: meant, language, subject, passages, schedule, meanings };
  const unsure = { ...known, question: inFull, bare: question, analysed: continues ? askedIn(inFull) : analysed };
  return answer === undefined ? withoutBeingSure(unsure) : (inDoubt(answer, unsure) ?? withRules(answer, asking));
}
