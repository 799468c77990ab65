import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const tool = path.resolve(__dirname, '../../../../tools/fuzz.mjs');
/** What two cores can do in half a minute; `npm run fuzz -- api` sends 100,000. */
const requests = 5_000;
/** Caches fill in the first tenths of a run; a leak of 20 KB per request would exceed this. */
const growthMegabytesMax = 50;
/** A kept-alive connection may close just as it is reused; a platform that drops connections exceeds this. */
const askedAgainMax = 3;

describe('any request that our API document allows, and many that it does not', () => {
  // A platform of its own: the requests delete, revoke and remove.
  it('is answered as documented, without a 5xx, internal details or a memory leak', async () => {
    const run = await promisify(execFile)(process.execPath, [tool, 'api', '--requests', String(requests)]).catch(
      (failed: unknown) => failed as { stdout: string },
    );
    const {
      complaints,
      operationsDone,
      operations,
      heapMegabytes,
      residentMegabytes: _,
      megabytesAtStart: __,
      ...counts
    } = JSON.parse(run.stdout);
    expect(complaints).toEqual([]);
    expect(counts.requests).toBe(requests);
    expect(counts.askedAgain).toBeLessThanOrEqual(askedAgainMax);
    expect(operationsDone).toBeGreaterThan(operations * 0.7);
    const half = heapMegabytes.length / 2;
    expect(Math.min(...heapMegabytes.slice(half)) - Math.min(...heapMegabytes.slice(0, half))).toBeLessThan(growthMegabytesMax);
  }, 600_000);
});
