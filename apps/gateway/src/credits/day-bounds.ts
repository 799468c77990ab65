const dayLength = 'YYYY-MM-DD'.length;

/** Whether a bound is a bare day, which only a time zone gives its hours. */
export function isDay(bound: string | null | undefined): boolean {
  return bound?.length === dayLength;
}

/** The first instant of an inclusive range. */
export function firstInstant(bound: string | null | undefined, timeZone: string): Date | null {
  if (!bound) return null;
  return isDay(bound) ? startOfDay(bound, timeZone) : new Date(bound);
}

/** The first instant after an inclusive range: a day counts to its end, an instant to its millisecond. */
export function firstInstantAfter(bound: string | null | undefined, timeZone: string): Date | null {
  if (!bound) return null;
  if (!isDay(bound)) return new Date(Date.parse(bound) + 1);
  const nextDay = new Date(Date.parse(`${bound}T00:00:00Z`) + 86_400_000).toISOString().slice(0, dayLength);
  return startOfDay(nextDay, timeZone);
}

/** Asks twice, because the offset at midnight UTC may not be the one at local midnight. */
function startOfDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guess = midnight - offsetMs(midnight, timeZone);
  return new Date(midnight - offsetMs(guess, timeZone));
}

function offsetMs(atMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
  });
  const part = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const of = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0;
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return local - Math.floor(atMs / 1000) * 1000;
}
