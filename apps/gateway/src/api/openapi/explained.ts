import { meaningOf } from '@parley/contracts';
import type { JsonSchema } from './schema-book';

type Inner = JsonSchema | boolean;

/** A schema whose fields say what they are. A sentence that a field brings itself is kept. */
export function explained(schema: JsonSchema, name: string, parent?: string): JsonSchema {
  const frame = schema.properties?.type;
  const place = { schema: name, parent: parent ?? (typeof frame === 'object' ? frame.const?.toString() : undefined) };
  const inner = <Value extends Inner>(value: Value): Value | JsonSchema =>
    typeof value === 'object' ? explained(value, name, parent) : value;
  return {
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([field, value]) => [field, fieldOf(field, value, place)]),
      ),
    }),
    ...(typeof schema.items === 'object' && !Array.isArray(schema.items) && { items: inner(schema.items) }),
    ...(schema.additionalProperties !== undefined && { additionalProperties: inner(schema.additionalProperties) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(inner) }),
    ...(schema.allOf && { allOf: schema.allOf.map(inner) }),
  };
}

function fieldOf(field: string, value: Inner, place: { schema: string; parent: string | undefined }): Inner {
  const known = typeof value === 'object' ? value : {};
  const description = ownWords(known) ?? meaningOf(field, place);
  return { ...explained(known, place.schema, field), ...(description && { description }) };
}

/** What a field says of itself, or one of the values that it may have. */
function ownWords({ description, anyOf = [] }: JsonSchema): string | undefined {
  if (description) return description;
  return anyOf.map((option) => (typeof option === 'object' ? option.description : undefined)).find((words) => words);
}
