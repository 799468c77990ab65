// Whether something came soon enough. On a machine that others keep busy the clock on the wall judges the others.
import { availableParallelism, loadavg } from 'node:os';

const readyMsMax = 2_000;

/** `readyMs` holds, by service, the milliseconds on the wall and those of work. */
export function readyInTime(table, form, readyMs) {
  const title = `${form}: each service is ready within 2 s`;
  const seen = Object.entries(readyMs).map(
    ([name, { wall, cpu }]) => `${name} ${wall} ms${cpu === undefined ? '' : ` (${cpu} of work)`}`,
  );
  const isLate = Object.values(readyMs).some(({ wall }) => wall > readyMsMax);
  inTime(table, title, { isLate, seen: seen.join(', ') });
}

/** A row for what was late, or took more work, or not: a busy machine judges neither, since neighbours empty its caches too. */
export function inTime(table, title, { isLate, seen }) {
  const [load] = loadavg();
  if (isLate && load > availableParallelism()) table.cannot(title, `a load of ${load.toFixed(0)} judges nothing; seen: ${seen}`);
  else table.add({ title, state: isLate ? 'FAILS' : 'holds', seen }, 0);
}
