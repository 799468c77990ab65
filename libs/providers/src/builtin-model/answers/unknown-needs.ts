import { type Item } from '../facts/read-facts';
import { likeness, type Said, saidIn } from '../question/likeness';
import { type Asked, isPriceWord, isQualifying, type Need } from '../question/needs';
import { isUnit } from '../question/numbers';
import { isOfField } from './item-answer';
import { timeUnit } from './told-prices';

/** What a question speaks of that these things do not have: then it is not about them. */
export function unknownOf(rest: readonly Need[], items: readonly Item[], asked?: Asked): readonly Need[] {
  const isOther = (need: Need) =>
    isQualifying(need) && !asked?.isComparing && !items.some((item) => likeness(need, saidOf(item)) > 0);
  // "Five metres of it", where it is sold by the metre.
  const isMeasure = ({ word }: Need) => isUnit(word) && timeUnit(word) === undefined;
  return rest.filter(
    (need) =>
      (need.weight === 1 || isOther(need)) &&
      !isPriceWord(need) &&
      !isFieldOf(need, items) &&
      !(isMeasure(need) && items.every((item) => likeness(need, saidOf(item)) > 0)),
  );
}

/** All that a table or the catalogue says of a thing. */
export function saidOf({ name, category, description, attributes }: Item): Said {
  return saidIn([name, category, description, ...attributes.flatMap((field) => [field.name, field.value, field.unit])].join(' '));
}

/** Whether a word names a column of these things, or what it is measured in. */
export const isFieldOf = (need: Need, items: readonly Item[]): boolean =>
  items.some(({ attributes }) =>
    attributes.some(({ name, unit }) => isOfField(need, name) || (unit !== '' && isOfField(need, unit))),
  );
