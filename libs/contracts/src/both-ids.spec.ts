import { z } from 'zod';
import { contractByName, schemasOf } from './catalogue';

interface Shape {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly additionalProperties?: Shape | boolean;
}

/** Rows of tables that migrations seed, people and choices: an integer is all that names them, and it is the same everywhere. */
const withoutKey = new Set([
  ...[
    'AgentTypeID',
    'RegionTypeID',
    'TimeZoneID',
    'IndustryID',
    'IndustryTypeID',
    'LanguageID',
    'ToneID',
    'IconID',
    'TemplateID',
  ],
  ...['roleTypeID', 'ConversationalModeIDs'],
  // A user is known outside by a membership: `memberAdminID`, which is a UUID. So is `madeByAdminID`; `AdminID` is a userID.
  ...['userID', 'userIDs', 'AdminID', 'memberAdminID', 'madeByAdminID'],
  // Texts: of a carrier, of an event, of a source.
  ...['carrierCallID', 'EventID', 'keyID'],
  // Operators name organizations by their number, and read no UUID of another's.
  ...['OrgID', 'OperatorActionID'],
]);

/** The answer that the specification spells, and what services tell each other. */
const spelledElsewhere = /^(getHistory|read[A-Z]|find[A-Z]|retrieve[A-Z])/;

test('an answer that names a record by its integer names it by its key as well', () => {
  const missing: Record<string, Set<string>> = {};
  for (const { name, field } of lonelyIds()) (missing[field] ??= new Set()).add(name);
  const known = Object.entries(missing).map(([field, names]) => [field, [...names].toSorted()]);
  expect(Object.fromEntries(known)).toEqual({});
});

/** A configuration is read back as it is written: its ids are settings. */
const isConfiguration = (fields: readonly string[]): boolean => fields.includes('IsAllowInteruption');

/** Every `…ID` of an answer beside which its `…KeyID` is not. */
function* lonelyIds(): Generator<{ name: string; field: string }> {
  for (const [name, contract] of contractByName) {
    if (spelledElsewhere.test(name) || contract.kind === 'event') continue;
    for (const [part, schema] of Object.entries(schemasOf(contract))) {
      if (part !== 'reply' && part !== 'item') continue;
      const shape = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape;
      for (const fields of objectsIn(shape, shape.$defs ?? {}))
        for (const field of isConfiguration(fields) ? [] : fields) if (isLonely(field, fields)) yield { name, field };
    }
  }
}

function isLonely(field: string, fields: readonly string[]): boolean {
  const [, stem, plural] = /^(.*)(?<!Key)ID(s?)$/.exec(field) ?? [];
  if (stem === undefined || field.endsWith('UUID') || withoutKey.has(field)) return false;
  return !fields.includes(`${stem}KeyID${plural}`);
}

function* objectsIn(shape: Shape, defs: Readonly<Record<string, Shape>>, seen: readonly string[] = []): Generator<string[]> {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = shape;
  const referred = $ref?.split('/').at(-1);
  if (referred !== undefined && !seen.includes(referred)) yield* objectsIn(defs[referred] ?? {}, defs, [...seen, referred]);
  const parts = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf];
  if (items) parts.push(items);
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  if (Object.keys(properties).length > 0) yield Object.keys(properties);
  for (const part of parts) yield* objectsIn(part, defs, seen);
}
