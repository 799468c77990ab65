import { endOfDay, startOfDay } from './start-of-day';

describe('a day in a time zone', () => {
  it.each([
    ['Asia/Kolkata', '2026-03-02', '2026-03-01T18:30:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['Pacific/Auckland', '2026-07-01', '2026-06-30T12:00:00.000Z'],
    ['UTC', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('in %s, %s begins at %s', (timezone, day, expected) => {
    expect(startOfDay(day, timezone).toISOString()).toBe(expected);
  });

  it('has 23 hours when the clocks go forward and 25 when they go back', () => {
    const hours = (day: string) =>
      (endOfDay(day, 'America/New_York').getTime() - startOfDay(day, 'America/New_York').getTime()) / 3_600_000;
    expect([hours('2026-03-08'), hours('2026-11-01'), hours('2026-12-31')]).toEqual([23, 25, 24]);
  });
});
