import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Fault, invalidFields, SpeechLanguage } from '@parley/contracts';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { z } from 'zod';

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

/** A predefined row of a table. Its id is the same in every installation: never change or reuse it. */
export interface SeedEntry {
  readonly kind: LookupKind;
  readonly id: number;
  readonly name: string;
  /** Null if the runtime knows the label itself, as for countries and time zones. */
  readonly labels: Labels | null;
  readonly details: object;
}

const Texts = z.object({ agentName: z.string(), description: z.string(), systemPrompt: z.string(), greeting: z.string() });

/** What a template provides besides its label. */
export const TemplateDetails = z.object({
  typeId: z.int(),
  industryId: z.int(),
  toneId: z.int(),
  iconId: z.int(),
  texts: z.record(SpeechLanguage, Texts),
});
export type TemplateDetails = z.output<typeof TemplateDetails>;

/** A predefined agent in every language. */
export interface AgentTemplate extends TemplateDetails {
  readonly id: number;
  readonly name: string;
  readonly labels: Labels;
}

export function templateEntry({ id, name, labels, ...details }: AgentTemplate): SeedEntry {
  return { kind: 'agent-template', id, name, labels, details };
}

/** Numbers a table's rows from 1, with the English label as name. */
export function numbered(kind: LookupKind, rows: readonly (readonly [en: string, hi: string, mr: string])[]): SeedEntry[] {
  return rows.map(([en, hi, mr], index) => ({ kind, id: index + 1, name: en, labels: { en, hi, mr }, details: {} }));
}

/** The public id of a choice, the same in every installation: a name-based UUID. */
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

/** The lookup tables in memory: only a migration changes them, and that requires a new process. */
@Injectable()
export class LookupTables implements OnModuleInit {
  private readonly tables = new Map<LookupKind, Map<number, Lookup>>();

  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    const lookups = await this.dataSource.getRepository(Lookup).find({ order: { kind: 'ASC', id: 'ASC' } });
    for (const lookup of lookups) this.tableOf(lookup.kind).set(lookup.id, lookup);
  }

  /** The choices of one table, by id. */
  list(kind: LookupKind): readonly Lookup[] {
    return [...this.tableOf(kind).values()];
  }

  find(kind: LookupKind, id: number): Lookup | undefined {
    return this.tableOf(kind).get(id);
  }

  /** A choice that a stored record refers to. */
  get(kind: LookupKind, id: number): Lookup {
    const lookup = this.find(kind, id);
    if (!lookup) throw new Fault('INTERNAL', { cause: new Error(`no ${kind} has the id ${id}`) });
    return lookup;
  }

  /** The language with this id, as named by the speech endpoints. */
  languageOf(id: number): SpeechLanguage {
    return SpeechLanguage.parse(this.get('language', id).name);
  }

  /** Refuses unknown ids, reporting all of them at once. */
  require(choices: readonly { field: string; kind: LookupKind; id: number }[]): void {
    const unknown = choices.filter(({ kind, id }) => !this.find(kind, id));
    const details = unknown.map(({ field, kind, id }) => ({
      field,
      message: `${field} ${id} is not in the lookup ${lookupPaths[kind]}`,
    }));
    if (details.length > 0) throw invalidFields(details);
  }

  private tableOf(kind: LookupKind): Map<number, Lookup> {
    const table = this.tables.get(kind) ?? new Map<number, Lookup>();
    this.tables.set(kind, table);
    return table;
  }
}

/** The last segment of the path that lists a table. */
const lookupPaths: Record<LookupKind, string> = {
  'agent-type': 'agent-types',
  region: 'regions',
  'time-zone': 'timezones',
  industry: 'industries',
  tone: 'tones',
  icon: 'icons',
  language: 'languages',
  'agent-template': 'agent-templates',
};

/** One choice of one table. The same in every installation, so it has no tenant. */
@Entity({ name: 'lookups' })
export class Lookup {
  @PrimaryColumn('text')
  kind: LookupKind;

  @PrimaryColumn('int')
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  name: string;

  @Column('jsonb', { nullable: true })
  labels: Labels | null;

  @Column('jsonb')
  details: unknown;
}
