const dayMs = 86_400_000;

/** The instant at which a day (`YYYY-MM-DD`) begins in a time zone. Where the clock skips midnight, the hour beside it. */
export function startOfDay(day: string, timezone: string): Date {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`);
  const nearby = asIfUtc - offsetMs(asIfUtc, timezone);
  return new Date(asIfUtc - offsetMs(nearby, timezone));
}

/** The instant at which the day after begins. */
export function endOfDay(day: string, timezone: string): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs);
  return startOfDay(next.toISOString().slice(0, day.length), timezone);
}

/** How far the clocks of a time zone are ahead of UTC at an instant. */
function offsetMs(at: number, timezone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - at;
}
