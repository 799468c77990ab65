import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Fault, SpeechLanguage } from '@parley/contracts';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { invalidFields } from '../refusals/invalid-fields';
import type { Labels, LookupKind } from './seed/seed-entry';

/** The tables of choices in memory: only a migration changes them, and that comes with a new process. */
@Injectable()
export class LookupTables implements OnModuleInit {
  private readonly tables = new Map<LookupKind, Map<number, Lookup>>();

  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    const lookups = await this.dataSource.getRepository(Lookup).find({ order: { kind: 'ASC', id: 'ASC' } });
    for (const lookup of lookups) this.tableOf(lookup.kind).set(lookup.id, lookup);
  }

  /** The choices of one table by id. */
  list(kind: LookupKind): readonly Lookup[] {
    return [...this.tableOf(kind).values()];
  }

  find(kind: LookupKind, id: number): Lookup | undefined {
    return this.tableOf(kind).get(id);
  }

  /** A choice that a stored record points at. */
  get(kind: LookupKind, id: number): Lookup {
    const lookup = this.find(kind, id);
    if (!lookup) throw new Fault('INTERNAL', { cause: new Error(`no ${kind} has the id ${id}`) });
    return lookup;
  }

  /** The language with an id, as the speech endpoints call it. */
  languageOf(id: number): SpeechLanguage {
    return SpeechLanguage.parse(this.get('language', id).name);
  }

  /** Refuses ids that no table has, all of them at once. */
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

/** The last step of the path that lists a table. */
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

/** One choice of one table. The same on every installation, so it has no tenant. */
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
