// Whether services are ready soon after their start. On a machine that others keep busy the clock on the wall judges the others.
import { availableParallelism, loadavg } from 'node:os';

const readyMsMax = 2_000;

/** `readyMs` holds, by service, the milliseconds on the wall and those of work. */
export function readyInTime(table, form, readyMs) {
  const title = `${form}: each service is ready within 2 s`;
  const seen = Object.entries(readyMs).map(
    ([name, { wall, cpu }]) => `${name} ${wall} ms${cpu === undefined ? '' : ` (${cpu} of work)`}`,
  );
  const late = Object.values(readyMs).filter(({ wall }) => wall > readyMsMax).length;
  const [load] = loadavg();
  if (late > 0 && load > availableParallelism())
    table.cannot(title, `a load of ${load.toFixed(0)} judges nothing; seen: ${seen.join(', ')}`);
  else table.add({ title, state: late > 0 ? 'FAILS' : 'holds', seen: seen.join(', ') }, 0);
}
