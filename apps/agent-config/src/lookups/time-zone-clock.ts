import { Injectable } from '@nestjs/common';
import type { listTimeZones } from '@parley/contracts';
import type { z } from 'zod';
import type { Lookup } from './lookup-tables';
import type { LabelLanguage } from './seed/seed-entry';

type TimeZones = z.input<typeof listTimeZones.reply>;

/** Clocks change on the quarter hour at the finest. */
const quarterHourMs = 900_000;
const minuteMs = 60_000;

/** Time zones with the offset of this moment. Four hundred formatters cost tens of milliseconds, so a list is kept a while. */
@Injectable()
export class TimeZoneClock {
  private readonly lists = new Map<LabelLanguage, { quarter: number; zones: TimeZones }>();

  list(lookups: readonly Lookup[], language: LabelLanguage, nowMs = Date.now()): TimeZones {
    const quarter = Math.floor(nowMs / quarterHourMs);
    const kept = this.lists.get(language);
    if (kept?.quarter === quarter) return kept.zones;
    const zones = lookups.map(({ id, keyId, name }) => ({
      TimeZoneKeyID: keyId,
      TimeZoneID: id,
      name,
      label: zoneLabel(name, language, nowMs),
      utcOffsetMinutes: offsetMinutes(name, nowMs),
    }));
    this.lists.set(language, { quarter, zones });
    return zones;
  }
}

function zoneLabel(timeZone: string, language: LabelLanguage, nowMs: number): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: 'long' }).formatToParts(nowMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

/** How far a zone's clock is ahead of UTC at a moment. */
export function offsetMinutes(timeZone: string, nowMs: number): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(nowMs);
  const shownMs = Date.parse(`${clock.replace(' ', 'T')}Z`);
  return Math.round((shownMs - nowMs) / minuteMs);
}
