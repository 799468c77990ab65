import { testDatabase } from '@parley/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import {
  clockTime,
  dayOf,
  daysBetween,
  daysLater,
  distinctClocks,
  firstInstant,
  firstInstantAfter,
  minuteOfDay,
  offsetMs,
  startOfDay,
} from './local-days';

const zones = Intl.supportedValuesOf('timeZone');
const days = daysBetween('2026-01-01', '2026-12-31');
const around = (day: string) => [daysLater(day, -1), day, daysLater(day, 1)];
/** Days of 2026 near those with another length than 24 hours, found without the arithmetic under test. */
const changesOf = new Map(zones.map((zone) => [zone, lengthChanges(zone)]));

/** The days in whose weeks the clocks of a zone are set, as its offset at noon says. */
function lengthChanges(zone: string): string[] {
  const offset = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const at = (day = '2026-12-31') => offset.format(Date.parse(`${day}T12:00:00Z`)).split('GMT')[1];
  const weeks = Array.from({ length: 53 }, (_, week) => days.slice(week * 7, week * 7 + 8));
  const changed = weeks.filter((week) => at(week[0]) !== at(week.at(-1)));
  return [...new Set(changed.flat().flatMap(around))];
}

describe('a day', () => {
  it.each([
    ['Asia/Kolkata', '2026-03-02', '2026-03-01T18:30:00.000Z'],
    ['Asia/Kathmandu', '2026-03-02', '2026-03-01T18:15:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['UTC', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-05', '2026-10-04T13:00:00.000Z'],
  ])('in %s, %s begins at %s', (zone, day, expected) => {
    expect(startOfDay(day, zone).toISOString()).toBe(expected);
  });

  it('has 23 hours when the clocks go forward, 25 when they go back, and ends where the next one begins', () => {
    const hours = (day: string, zone: string) =>
      (firstInstantAfter(day, zone).getTime() - firstInstant(day, zone).getTime()) / 3_600_000;
    const newYork = ['2026-03-08', '2026-11-01', '2026-12-31'].map((day) => hours(day, 'America/New_York'));
    const skippedMidnight = ['2026-03-07', '2026-03-08'].map((day) => hours(day, 'America/Havana'));
    expect([newYork, skippedMidnight]).toEqual([
      [23, 25, 24],
      [24, 23],
    ]);
  });

  it('begins with its first instant, in every time zone, around every clock change', () => {
    const wrong = zones.flatMap((zone) =>
      (changesOf.get(zone) ?? [])
        .filter((day) => {
          const at = startOfDay(day, zone);
          return dayOf(at, zone) !== day || dayOf(new Date(at.getTime() - 1), zone) >= day || at.getTime() % 900_000 !== 0;
        })
        .map((day) => `${zone} ${day}`),
    );
    expect(zones.length).toBeGreaterThan(300);
    expect([...changesOf.values()].flat().length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  it('contains every instant of any year in exactly one day, in any time zone', () => {
    const instants = fc.date({ min: new Date('1975-01-01'), max: new Date('2037-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (zone, at) => {
        const day = dayOf(at, zone);
        expect(startOfDay(day, zone).getTime()).toBeLessThanOrEqual(at.getTime());
        expect(firstInstantAfter(day, zone).getTime()).toBeGreaterThan(at.getTime());
      }),
      { numRuns: 500 },
    );
  });

  it('begins where Postgres says it does', async () => {
    const database = await testDatabase();
    const sql = new Client({ connectionString: database.url });
    await sql.connect();
    const asked = ['Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York', 'America/Havana', 'Europe/Berlin', 'Pacific/Auckland'];
    const told = asked.flatMap((zone) => days.map((day) => ({ zone, day, at: startOfDay(day, zone).toISOString() })));
    const { rows } = await sql.query(
      `SELECT zone, day::text FROM jsonb_to_recordset($1) AS (zone text, day date, at timestamptz)
       WHERE (at AT TIME ZONE zone)::date <> day OR ((at - interval '1 ms') AT TIME ZONE zone)::date >= day`,
      [JSON.stringify(told)],
    );
    await sql.end();
    await database.close();
    expect(rows).toEqual([]);
  });
});

it('an instant as a bound includes its millisecond', () => {
  const bound = '2026-03-02T09:30:00.000+05:30';
  expect(firstInstant(bound, 'Asia/Kolkata').toISOString()).toBe('2026-03-02T04:00:00.000Z');
  expect(firstInstantAfter(bound, 'Asia/Kolkata').toISOString()).toBe('2026-03-02T04:00:00.001Z');
});

describe('a time of day', () => {
  it.each([
    ['Asia/Kolkata', '2026-03-02', 9 * 60, ['2026-03-02T03:30:00.000Z', '2026-03-02T03:30:00.000Z']],
    ['America/New_York', '2026-03-08', 9 * 60, ['2026-03-08T13:00:00.000Z', '2026-03-08T13:00:00.000Z']],
    ['America/New_York', '2026-11-01', 9 * 60, ['2026-11-01T14:00:00.000Z', '2026-11-01T14:00:00.000Z']],
    // Shown twice, and skipped.
    ['America/New_York', '2026-11-01', 90, ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z']],
    ['America/New_York', '2026-03-08', 150, ['2026-03-08T06:30:00.000Z', '2026-03-08T07:30:00.000Z']],
  ])('in %s on %s, minute %i, is shown first and last at %j', (zone, day, minute, expected) => {
    const { first, last } = clockTime(day, minute, zone);
    expect([first, last].map((at) => at.toISOString())).toEqual(expected);
  });

  it('is read back in every time zone, around every clock change', () => {
    const minutes = [61, 119, 555];
    const wrong = zones.flatMap((zone) =>
      (changesOf.get(zone) ?? []).flatMap((day) =>
        minutes
          .filter((minute) => {
            const { first, last } = clockTime(day, minute, zone);
            const isShown = (at: Date) => dayOf(at, zone) === day && minuteOfDay(at, zone) === minute;
            const isSkipped = !isShown(first) && !isShown(last);
            return isSkipped ? first.getTime() >= last.getTime() : !isShown(first) || !isShown(last);
          })
          .map((minute) => `${zone} ${day} ${minute}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the clocks of a zone', () => {
  it.each([
    ['America/New_York', '2026-03-08T07:00:00Z', -5, -4],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', 2, 1],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 11, 10.5],
    ['Africa/Casablanca', '2026-02-15T02:00:00Z', 1, 0],
    ['Africa/Casablanca', '2026-03-22T02:00:00Z', 0, 1],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', -10, 14],
  ])('of %s change at %s and not a millisecond before', (zone, at, before, then) => {
    const setAt = Date.parse(at);
    expect([offsetMs(setAt - 1, zone), offsetMs(setAt, zone)]).toEqual([before * 3_600_000, then * 3_600_000]);
  });

  it('are grouped if they show the same', () => {
    const [from, until] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2027-01-01T00:00:00Z')];
    const zones = ['America/New_York', 'America/Detroit', 'America/Phoenix', 'America/Denver', 'America/Boise'];
    expect(distinctClocks(zones, from, until)).toEqual(['America/New_York', 'America/Phoenix', 'America/Denver']);
  });
});
