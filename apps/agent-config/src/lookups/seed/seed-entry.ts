import { createHash } from 'node:crypto';

/** The tables that forms choose from. */
export const lookupKinds = [
  'agent-type',
  'region',
  'time-zone',
  'industry',
  'tone',
  'icon',
  'language',
  'agent-template',
] as const;
export type LookupKind = (typeof lookupKinds)[number];

/** The languages of labels. */
const labelLanguages = ['en', 'hi', 'mr'] as const;
export type LabelLanguage = (typeof labelLanguages)[number];
export type Labels = Readonly<Record<LabelLanguage, string>>;

/** One choice of a table as it is shipped. Its id is a promise to every installation: never change, never use twice. */
export interface SeedEntry {
  readonly kind: LookupKind;
  readonly id: number;
  readonly name: string;
  /** Empty where the runtime knows the label by itself, as for countries and time zones. */
  readonly labels: Labels | null;
  readonly details: object;
}

/** Numbers the rows of a table from 1 and takes the first label for its name. */
export function numbered(kind: LookupKind, rows: readonly (readonly [en: string, hi: string, mr: string])[]): SeedEntry[] {
  return rows.map(([en, hi, mr], index) => ({ kind, id: index + 1, name: en, labels: { en, hi, mr }, details: {} }));
}

/** The public id of a choice, the same on every installation: a name-based UUID. */
export function keyIdOf({ kind, id }: { kind: LookupKind; id: number }): string {
  const digest = createHash('sha1').update(`parley/${kind}/${id}`).digest('hex');
  const variant = ((parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-');
}
