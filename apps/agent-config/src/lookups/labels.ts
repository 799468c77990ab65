import { z } from 'zod';
import type { Lookup } from './lookup.entity';
import type { LabelLanguage } from './seed/seed-entry';

const Country = z.object({ countryCode: z.string() });

/** What a person reads, in their language. The runtime knows the names of countries and time zones by itself. */
export function labelOf(lookup: Lookup, language: LabelLanguage): string {
  if (lookup.labels) return lookup.labels[language];
  if (lookup.kind === 'region')
    return new Intl.DisplayNames([language], { type: 'region' }).of(countryCodeOf(lookup)) ?? lookup.name;
  return lookup.name;
}

export function countryCodeOf({ details }: Lookup): string {
  return Country.parse(details).countryCode;
}
