import { isSmall, wordsOf } from '@parley/language';
import type { Facts, Item } from '../facts/read-facts';
import { isComparison } from '../question/comparison';
import { likenessToName, saidIn } from '../question/likeness';
import { type Asked, askedIn, isDeed, type Need } from '../question/needs';
import { computed } from './computed-answer';
import { ofAmount, unknownOf } from './item-answer';
import { baseNameOf, namedItems } from './named-items';
import type { Language } from './phrases';

const either = /,?\s(?:or|and|या|किंवा|और|आणि|ya|kiva|aur|ani|aani)\s/iu;
const oneOrOther = /\s(?:or|या|किंवा|ya|kiva)\s/iu;
const behindBoth = /\s(?:में|मे|मध्ये|पैकी|यात[\p{L}\p{M}]*|यांत[\p{L}\p{M}]*|mein|me|madhe|yat)(?:\s|$)/iu;
interface Wish {
  readonly question: string;
  readonly asked: Asked;
  readonly facts: Facts;
  readonly language: Language;
}

/**
 * "Which is cheaper, this or that?" is about these two only; undefined if the question does not name two things. If one is
 * unknown, nothing is said of the other.
 */
export function setAgainst({ question, asked, facts, language }: Wish): { readonly told: string | undefined } | undefined {
  if (!isComparison(question)) return undefined;
  const [before = '', after = '', third] = question.split(either);
  if (after === '' || third !== undefined) return undefined;
  const subject = saidIn(`${facts.contact.Name} ${facts.contact.Kind}`);
  const [one, other] = [before.split(/[,:]\s/u).at(-1) ?? '', after.split(behindBoth)[0] ?? ''].map((text) => {
    const needs = askedIn(text).needs.filter(({ weight }) => weight === 1);
    const { items } = namedItems(needs, facts.items, { subject, isChoice: false, words: new Set(wordsOf(text)) });
    return items.filter((item) => isSurelyCalled(item, needs));
  });
  const [first, second] = [one?.[0], other?.[0]];
  if ((one?.length ?? 0) > 1 || (other?.length ?? 0) > 1) return undefined;
  if (!first || !second) return oneOrOther.test(question) ? { told: undefined } : undefined;
  if (first === second) return undefined;
  const both = [first, second].map((item) => ofAmount(item, asked));
  const rest = asked.needs.filter((need) => !both.some(({ name }) => likenessToName(need, name) > 0) && !isDeed(need));
  const told = unknownOf(rest, both, asked).length > 0 ? undefined : computed({ question, asked, items: both, language });
  return told === undefined ? undefined : { told };
}

/** Matching half of a name by meaning is not enough: a leaf of paper is no bill book. */
function isSurelyCalled(item: Item, needs: readonly Need[]): boolean {
  const held = needs.map((need) => likenessToName(need, item.name)).filter((like) => like > 0);
  const words = wordsOf(baseNameOf(item)).filter((word) => !isSmall(word));
  return held.length * 2 > words.length || held.some((like) => like !== byMeaning);
}

const byMeaning = 0.9;
