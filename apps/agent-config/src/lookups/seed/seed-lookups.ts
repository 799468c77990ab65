import type { QueryRunner } from 'typeorm';
import { templateEntries } from '../../templates';
import { agentTypes } from './agent-types';
import { icons } from './icons';
import { industries } from './industries';
import { languages } from './languages';
import { regions } from './regions';
import { keyIdOf, type SeedEntry } from './seed-entry';
import { timeZoneNames } from './time-zones';
import { tones } from './tones';

const regionEntries = regions.map(
  ({ countryCode, name }, index): SeedEntry => ({ kind: 'region', id: index + 1, name, labels: null, details: { countryCode } }),
);
const timeZoneEntries = timeZoneNames.map(
  (name, index): SeedEntry => ({ kind: 'time-zone', id: index + 1, name, labels: null, details: {} }),
);

/** Every choice of every table of this release. */
export const seedEntries: readonly SeedEntry[] = [
  ...agentTypes, ...regionEntries, ...timeZoneEntries, ...industries, ...tones, ...icons, ...languages, ...templateEntries,
];

/**
 * For migrations: brings the tables to the choices of this release. A release that adds or rewords choices adds a
 * migration that calls this again. Nothing is ever removed, because agents point at these ids.
 */
export async function seedLookups(runner: QueryRunner): Promise<void> {
  const rows = seedEntries.map((entry) => ({ ...entry, key_id: keyIdOf(entry) }));
  await runner.query(
    `INSERT INTO lookups (kind, id, key_id, name, labels, details)
     SELECT kind, id, key_id, name, labels, details
     FROM jsonb_to_recordset($1::jsonb) AS given (kind text, id int, key_id uuid, name text, labels jsonb, details jsonb)
     ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, labels = excluded.labels, details = excluded.details`,
    [JSON.stringify(rows)],
  );
}
