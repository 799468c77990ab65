// `npm run sim -- campaign [--runs 200] [--seed 1] [--contacts 100000] [--large 4]`: campaigns in which everything that can fail
// does.
import { parseArgs } from 'node:util';
import { simulateCampaign, type Simulated } from '@parley/apps/telephony-bridge/campaigns';
import { type Figures, report } from '../measure/report';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    contacts: { type: 'string', default: '100000' },
    large: { type: 'string', default: '4' },
  },
});
/** The sizes of the other runs: enough to exercise every rule in a second each. */
const smallSizes = [50, 200, 400, 1000];

async function main(): Promise<void> {
  const firstSeed = Number(values.seed);
  const [runs, large] = [Number(values.runs), Number(values.large)];
  const all: Simulated[] = [];
  for (let index = 0; index < runs; index += 1) {
    const contacts = index < large ? Number(values.contacts) : (smallSizes[index % smallSizes.length] ?? 200);
    const run = await simulateCampaign({ seed: firstSeed + index, contacts });
    all.push(run);
    for (const violation of run.violations) process.stdout.write(`seed ${run.seed}: ${JSON.stringify(violation)}\n`);
  }
  const sizes = [...new Set(all.map(({ contacts }) => contacts))].toSorted((one, other) => other - one);
  report(
    'campaign-simulation',
    sizes.map((size) => rowOf(all.filter(({ contacts }) => contacts === size))),
  );
  const wrong = all.filter(({ violations }) => violations.length > 0);
  process.stdout.write(`${all.length} simulations, ${wrong.length} broke a rule\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function rowOf(runs: readonly Simulated[]): Figures {
  const sum = (count: (run: Simulated) => number): number => runs.reduce((total, run) => total + count(run), 0);
  return {
    contacts: runs[0]?.contacts ?? 0,
    runs: runs.length,
    'virtual hours': sum(({ virtualHours }) => virtualHours).toFixed(0),
    'seconds each': (sum(({ seconds }) => seconds) / runs.length).toFixed(2),
    'CPU seconds a virtual day': ((24 * sum(({ cpuSeconds }) => cpuSeconds)) / sum(({ virtualHours }) => virtualHours)).toFixed(
      2,
    ),
    dials: sum(({ dials }) => dials),
    'at once': Math.max(...runs.map(({ liveMax }) => liveMax)),
    'persons reached': sum(({ persons }) => persons),
    abandoned: sum(({ abandoned }) => abandoned),
    crashes: sum(({ crashes }) => crashes),
    stalls: sum(({ stalls }) => stalls),
    'never known': sum(({ unknown }) => unknown),
    'paused itself': sum(({ pauses }) => pauses),
    steps: sum(({ steps }) => steps),
    recounts: sum(({ recounts }) => recounts),
    'broke a rule': runs.filter(({ violations }) => violations.length > 0).length,
  };
}

void main();
