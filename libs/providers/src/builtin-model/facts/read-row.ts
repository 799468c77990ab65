import type { Attribute, Item } from './fact';

const cell = /^([^:;]{1,60}): (.+)$/u;
const cellsMin = 2;

/** Whether a line is a row of a table as documents are kept: `Part: Radiator; Price (INR): 6900`. */
export function isRow(line: string): boolean {
  const cells = line.split('; ');
  return cells.length >= cellsMin && cells.every((one) => cell.test(one));
}

/** A row of a table. It is named by its first words, and by the others that are no figures. */
export function rowOf(line: string, heading: string): Item {
  const attributes = line.split('; ').map((one) => {
    const [, name = '', value = ''] = cell.exec(one) ?? [];
    return attributeOf(name.trim(), value.trim());
  });
  const firstFigure = attributes.findIndex(({ value }, place) => place > 0 && /^[\d₹]/u.test(value));
  const naming = attributes.slice(0, firstFigure === -1 ? 1 : Math.min(firstFigure, namingMax));
  const [first = '', ...others] = naming.map(({ value }) => value);
  const name = others.length > 0 ? `${first} (${others.join(', ')})` : first;
  return {
    kind: 'row',
    name,
    category: `${heading} ${attributes[0]?.name ?? ''}`.trim(),
    description: '',
    attributes: attributes.slice(1),
  };
}

const namingMax = 2;

/** A field with the unit that stands in the name of its column, in brackets or behind a comma, or behind its figure. */
export function attributeOf(named: string, value: string): Attribute {
  const [, name = named, inName = ''] = /^(.+?)\s*(?:\(([^)]{1,20})\)|,\s*([^,]{1,12}))\s*$/u.exec(named) ?? [];
  const isMeasure = /^(?:[₹$€£]|Rs\.?\s*|INR\s*)?[\d.,]+(?:\s?[-–]\s?[\d.,]+)?$/u.test(value);
  return { name, value, unit: isMeasure ? inName : '' };
}
