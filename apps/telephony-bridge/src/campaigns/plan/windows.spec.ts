import fc from 'fast-check';
import type { CallingRules } from './campaign';
import { regionKey } from './regions';
import { CallingWindow, hoursIn, isClosedByOrganization, whyNever, windowToPlanBy } from './windows';

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const rules: CallingRules = { fromMinute: 0, toMinute: 1440, weekdays: everyDay, holidays: [], legalHours: {} };
const at = (text: string): number => Date.parse(text);
const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();

/** Local time, read from a formatted date. */
function shown(zone: string, instant: number): { day: string; minute: number } {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(instant);
  const [day = '', time = ''] = text.split(' ');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return { day, minute: hours * 60 + minutes };
}

describe('a calling window', () => {
  it.each([
    ['+919820012345', undefined, 'IN Asia/Kolkata'],
    ['+61412345678', undefined, 'AU *'],
    ['+12125550123', 'America/New_York', 'US America/New_York'],
    ['+33612345678', undefined, 'FR Europe/Paris'],
    ['maya', undefined, '-- Asia/Dubai'],
  ])('for %s in %s is that of %s', (number, zone, expected) => {
    expect(regionKey({ number, ...(zone && { zone }) }, 'Asia/Dubai')).toBe(expected);
  });

  it('can be narrowed by an organization and a campaign, never widened', () => {
    const wide = { ...rules, legalHours: { IN: { fromMinute: 0, toMinute: 1440 } } };
    expect(hoursIn('IN', wide)).toEqual({ fromMinute: 540, toMinute: 1260, weekdays: everyDay });
    const narrow = { ...rules, toMinute: 1140, legalHours: { IN: { fromMinute: 600, toMinute: 1200 } } };
    expect(hoursIn('IN', narrow)).toEqual({ fromMinute: 600, toMinute: 1140, weekdays: everyDay });
    const everywhere = {
      ...narrow,
      legalHours: { ...narrow.legalHours, '*': { fromMinute: 660, toMinute: 1200, weekdays: [1, 2] } },
    };
    expect(hoursIn('IN', everywhere)).toEqual({ fromMinute: 660, toMinute: 1140, weekdays: [1, 2] });
    expect(hoursIn(undefined, everywhere)).toEqual({ fromMinute: 660, toMinute: 1140, weekdays: [1, 2] });
  });

  it('closed by the organization alone is planned by the law, until widened again', () => {
    const closed = { ...rules, toMinute: 600, legalHours: { IN: { fromMinute: 700, toMinute: 800 } } };
    const morning = at('2026-03-02T03:30:00Z');
    expect(new CallingWindow('IN Asia/Kolkata', closed).nextOpening(morning)).toBeUndefined();
    expect(isClosedByOrganization('IN Asia/Kolkata', closed, morning)).toBe(true);
    expect(windowToPlanBy('IN Asia/Kolkata', closed, morning).nextOpening(morning)).toBe(morning);
    // The campaign itself leaves no hour: only changing the campaign can help.
    const own = { ...closed, toMinute: 500 };
    expect(windowToPlanBy('IN Asia/Kolkata', own, morning).nextOpening(morning)).toBe(morning);
    expect(isClosedByOrganization('IN Asia/Kolkata', { ...closed, toMinute: 500 }, morning)).toBe(false);
  });

  it('respects weekdays, holidays and clock changes', () => {
    const newYork = new CallingWindow('US America/New_York', {
      ...rules,
      weekdays: [0, 1, 2, 3, 4, 5],
      holidays: ['2026-03-09'],
    });
    expect(iso(newYork.openUntil(at('2026-03-07T01:59:59Z')))).toBe('2026-03-07T02:00:00.000Z');
    // Saturday is excluded; clocks change on Sunday; Monday is a holiday.
    expect(iso(newYork.nextOpening(at('2026-03-07T02:00:00Z')))).toBe('2026-03-08T12:00:00.000Z');
    expect(iso(newYork.nextOpening(at('2026-03-09T01:00:00Z')))).toBe('2026-03-10T12:00:00.000Z');
  });

  it('in a country of several zones is open only while open in all, and never if that cannot be', () => {
    const unitedStates = new CallingWindow('US *', rules);
    expect(iso(unitedStates.nextOpening(at('2026-01-10T12:00:00Z')))).toBe('2026-01-10T18:00:00.000Z');
    expect(iso(unitedStates.openUntil(at('2026-01-10T18:00:00Z')))).toBe('2026-01-11T02:00:00.000Z');
    expect(new CallingWindow('RU *', { ...rules, fromMinute: 600, toMinute: 1140 }).nextOpening(0)).toBeUndefined();
  });

  it('that never opens is reported with its country and who closed it, unless another one opens', () => {
    const [morning, india, states] = [at('2026-03-02T03:30:00Z'), 'IN Asia/Kolkata', 'US *'];
    const early = { ...rules, fromMinute: 600, toMinute: 900 };
    expect(whyNever([states], early, morning)).toContain('no hour to call in: US.');
    expect(whyNever([states, india], early, morning)).toBeUndefined();
    expect(whyNever([], early, morning)).toBeUndefined();
    const both = whyNever([states, india], { ...early, legalHours: { IN: { fromMinute: 900, toMinute: 960 } } }, morning);
    expect(both).toMatch(/legal hours leave this campaign none to call in: IN\..* no hour to call in: US\./);
  });

  it('of several zones opens at the first quarter of an hour when it is open in all', () => {
    const zones = ['America/New_York', 'America/Phoenix', 'America/Los_Angeles', 'Pacific/Honolulu', 'America/Adak'];
    const quarters = fc.integer({ min: at('2026-01-01T00:00:00Z') / 900_000, max: at('2027-01-01T00:00:00Z') / 900_000 });
    const length = fc.integer({ min: 20, max: 40 });
    const days = fc.subarray(everyDay, { minLength: 1 });
    fc.assert(
      fc.property(quarters, length, days, (quarter, quartersOpen, weekdays) => {
        const own = { ...rules, toMinute: 480 + quartersOpen * 15, weekdays, holidays: ['2026-03-09', '2026-11-02'] };
        const from = quarter * 900_000;
        const next = new CallingWindow('US *', own).nextOpening(from) ?? Number.POSITIVE_INFINITY;
        const single = zones.map((zone) => new CallingWindow(`US ${zone}`, own));
        const end = Math.min(next, from + 20 * 86_400_000);
        const isOpen = (instant: number) => single.every((window) => window.openUntil(instant) !== undefined);
        for (let instant = from; instant < end; instant += 900_000) expect(isOpen(instant)).toBe(false);
        if (Number.isFinite(next)) expect(isOpen(next)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('matches local clocks around changes in any zone', () => {
    const zones = [
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'America/Santiago',
      'Asia/Kathmandu',
      'Pacific/Chatham',
    ];
    const instants = fc.integer({ min: at('2026-01-01T00:00:00Z') / 60_000, max: at('2027-01-01T00:00:00Z') / 60_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.array(instants, { minLength: 1, maxLength: 5 }), (zone, minutes) => {
        const window = new CallingWindow(`-- ${zone}`, { ...rules, holidays: ['2026-03-29'] });
        for (const instant of minutes.map((each) => each * 60_000)) {
          const { day, minute } = shown(zone, instant);
          const isOpen = minute >= 540 && minute < 1200 && day !== '2026-03-29';
          expect(window.openUntil(instant) !== undefined).toBe(isOpen);
          const next = window.nextOpening(instant) ?? 0;
          expect(next === instant).toBe(isOpen);
          if (!isOpen) expect(shown(zone, next).minute).toBe(540);
        }
      }),
      { numRuns: 200 },
    );
  });
});
