import { z } from 'zod';
import { contractByName, schemasOf } from './catalogue';

/** Every text within a schema, by its path. */
function textsIn(schema: z.core.$ZodType, path: string, seen: Set<z.core.$ZodType>): [string, z.ZodString][] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  if (schema instanceof z.ZodString) return [[path, schema]];
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => textsIn(field, `${path}.${name}`, seen));
  const inner: z.core.$ZodType[] = [];
  if (schema instanceof z.ZodArray) inner.push(schema.element);
  else if (schema instanceof z.ZodUnion) inner.push(...schema.options);
  else if (schema instanceof z.ZodRecord) inner.push(schema.keyType, schema.valueType);
  else if (schema instanceof z.ZodPipe) inner.push(schema.def.in, schema.def.out);
  else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    inner.push(schema.def.innerType);
  return inner.flatMap((each) => textsIn(each, path, seen));
}

const Limited = z.object({ maxLength: z.int() });
const accent = 'e\u0301';

/** A text of so many code points, of letters that take two each. */
function accented(codePoints: number): string {
  return accent.repeat(Math.floor(codePoints / 2)) + 'e'.repeat(codePoints % 2);
}

/** The texts of any content that a client sends, with the length in the documents. */
const texts = [...contractByName].flatMap(([name, contract]) =>
  Object.entries(schemasOf(contract)).flatMap(([part, schema]) =>
    textsIn(schema, `${name}.${part}`, new Set()).flatMap(([path, text]) => {
      const limit = Limited.safeParse(z.toJSONSchema(text, { io: 'input' })).data;
      return limit && text.safeParse(accent).success ? [[path, text, limit.maxLength] as const] : [];
    }),
  ),
);

describe('the length of a text', () => {
  it('is limited in many messages', () => expect(texts.length).toBeGreaterThan(150));

  it('is counted in code points, as the documents say, whatever marks its letters carry', () => {
    const fits = (text: z.ZodString, codePoints: number) => text.safeParse(accented(codePoints)).success;
    expect(texts.filter(([, text, max]) => !fits(text, max)).map(([path]) => path)).toEqual([]);
    expect(texts.filter(([, text, max]) => fits(text, max + 1)).map(([path]) => path)).toEqual([]);
  });
});
