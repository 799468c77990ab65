import type { FoundCall } from '@parley/ports';
import { z } from 'zod';

/** Where a carrier's API is, when not at its usual address: another region, or a server of one's own. */
export function ApiUrl(usual: string) {
  return z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(usual)
    .meta({ description: 'The address of the API, where it is another than usual.', example: usual });
}

/** A number as carriers write it that want no plus sign. */
export function e164Digits(number: string): string {
  return number.replace(/[^\d]/g, '');
}

/** A time as a carrier wrote it; one without a zone is in the zone given. */
export function carrierTime(text: string | null | undefined, zone = 'Z'): number {
  if (!text) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/.test(text.trim()) ? text : `${text.trim().replace(' ', 'T')}${zone}`);
}

/** The latest of the calls that were placed after a time; undefined where there is none. Found by numbers, so never exact. */
export function newest(
  calls: readonly (Omit<FoundCall, 'isExact'> & { readonly atMs: number })[],
  after: Date,
): FoundCall | undefined {
  // Carriers write whole seconds, and their clocks are not ours.
  const slackMs = 5000;
  const [latest] = calls.filter(({ atMs }) => atMs >= after.getTime() - slackMs).sort((one, other) => other.atMs - one.atMs);
  if (!latest) return undefined;
  const { atMs: _, ...call } = latest;
  return { ...call, isExact: false };
}
