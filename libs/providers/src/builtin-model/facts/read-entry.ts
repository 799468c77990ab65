import type { Attribute, Item } from './fact';

/** How the fields of an entry are told in one line, and the names that they are asked by. */
const fields: readonly (readonly [RegExp, (found: string) => Attribute])[] = [
  [/^Price: (.+)$/u, (found) => priceOf(found)],
  [/^Warranty: (\d+) months$/u, (value) => ({ name: 'Warranty', value, unit: 'months' })],
  [/^Duration: (\d+) minutes$/u, (value) => ({ name: 'Duration', value, unit: 'minutes' })],
  [/^SKU: (.+)$/u, (value) => ({ name: 'SKU', value, unit: '' })],
  [/^(Available|Not available)$/u, (value) => ({ name: 'Availability', value, unit: '' })],
  [/^(Booking required)$/u, (value) => ({ name: 'Booking', value, unit: '' })],
  [/^Offered in (.+)$/u, (value) => ({ name: 'Area', value, unit: '' })],
];

function priceOf(found: string): Attribute {
  const [, value = found, unit = ''] = /^([\d.]+) ([A-Z]{3})$/u.exec(found) ?? [];
  return { name: 'Price', value, unit };
}

/** An entry of the catalogue: `- Steel kettle (Kitchen). For four cups. Price: 1499 INR. Available.` */
export function entryOf(line: string): Item {
  const parts = line
    .replace(/^- /u, '')
    .replace(/\.$/u, '')
    .split(/\. (?=[\p{L}\p{N}])/u);
  const attributes: Attribute[] = [];
  const said: string[] = [];
  for (const part of parts.slice(1)) {
    const [known] = fields.flatMap(([form, of]) => {
      const value = form.exec(part)?.[1];
      return value === undefined ? [] : [of(value)];
    });
    if (known) attributes.push(known);
    else said.push(part);
  }
  const [, name = parts[0] ?? '', category = ''] = /^(.+?)(?: \(([^()]+)\))?$/u.exec(parts[0] ?? '') ?? [];
  const isProduct = attributes.some(({ name: field }) => field === 'Availability');
  const description = said.length > 0 ? `${said.join('. ')}.` : '';
  return {
    kind: 'entry',
    name: isProduct ? name : (parts[0] ?? ''),
    category: isProduct ? category : '',
    description,
    attributes,
  };
}
