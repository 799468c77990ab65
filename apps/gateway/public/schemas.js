import { el, inline } from './elements.js';

const depthMax = 6;

/** Follows a `$ref` inside the document. */
export function resolve(document, value) {
  let found = value;
  for (let hops = 0; found?.$ref && hops < 10; hops += 1) {
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce((part, step) => part?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  }
  return found ?? {};
}

/** The fields of a schema as a list that expands level by level. */
export function schemaView(document, schema, depth = 0) {
  const shape = flatten(document, schema);
  if (shape.variants) return variantsView(document, shape.variants, depth);
  const entries = Object.entries(shape.properties ?? {});
  if (entries.length === 0) return el('p.type', {}, typeName(document, schema));
  const required = new Set(shape.required ?? []);
  return el(
    'ul.fields',
    {},
    entries.map(([name, field]) => fieldView(document, { name, field, required: required.has(name) }, depth)),
  );
}

function variantsView(document, variants, depth) {
  return el(
    'div.variants',
    {},
    variants.map((variant, index) => [
      el('p.type', {}, `${index === 0 ? 'Either' : 'or'} ${typeName(document, variant)}`),
      schemaView(document, variant, depth + 1),
    ]),
  );
}

function fieldView(document, { name, field, required }, depth) {
  const inner = innerObject(document, field);
  const head = [
    el('code.name', {}, name),
    el('span.type', {}, typeName(document, field)),
    required ? el('span.required', {}, 'required') : undefined,
  ];
  const notes = [descriptionOf(document, field), constraints(document, field)].filter(Boolean);
  const about =
    notes.length > 0
      ? el(
          'div.note',
          {},
          notes.map((note) => el('span', {}, inline(note))),
        )
      : undefined;
  if (!inner || depth >= depthMax) return el('li', {}, el('div.field', {}, head), about);
  return el(
    'li',
    {},
    el('details', { open: depth < 1 }, el('summary.field', {}, head), about, schemaView(document, inner, depth + 1)),
  );
}

function flatten(document, schema) {
  const shape = resolve(document, schema);
  if (shape.allOf) return shape.allOf.map((part) => flatten(document, part)).reduce(merge, {});
  const variants = (shape.anyOf ?? shape.oneOf)?.filter((variant) => variant.type !== 'null');
  if (variants?.length === 1) return flatten(document, variants[0]);
  return variants ? { variants } : shape;
}

function merge(left, right) {
  return {
    ...left,
    ...right,
    properties: { ...left.properties, ...right.properties },
    required: [...(left.required ?? []), ...(right.required ?? [])],
  };
}

function innerObject(document, schema) {
  const shape = flatten(document, schema);
  if (shape.type === 'array') return shape.items && innerObject(document, shape.items);
  return shape.properties || shape.variants?.some((variant) => innerObject(document, variant)) ? shape : undefined;
}

function typeName(document, schema) {
  const shape = resolve(document, schema);
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum) return shape.enum.length > 8 ? 'string' : shape.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (shape.type === 'array') return `array of ${typeName(document, shape.items ?? {})}`;
  const variants = shape.anyOf ?? shape.oneOf;
  if (variants) return [...new Set(variants.map((variant) => typeName(document, variant)))].join(' | ');
  return [shape.type ?? 'any'].flat().join(' | ') + (shape.format ? ` (${shape.format})` : '');
}

function descriptionOf(document, schema) {
  return schema.description ?? resolve(document, schema).description;
}

function constraints(document, schema) {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: preset } = resolve(document, schema);
  return [
    range('', minimum, maximum),
    range(' characters', minLength, maxLength),
    range(' items', minItems, maxItems),
    preset === undefined ? undefined : `default \`${JSON.stringify(preset)}\``,
  ]
    .filter(Boolean)
    .join(' · ');
}

function range(unit, least, most) {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}
