// `npm run sim -- voice [--runs 1000] [--seed 1]`: callers interrupt at random; does history match what was played?
import { parseArgs } from 'node:util';
import { type Interrupted, timingSources, simulateInterruption } from '@parley/voice-session/scripted';
import { type Figures, report } from '../measure/report';
import { quantile } from './quantile';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const examplesMax = 10;

async function main(): Promise<void> {
  const runs: Interrupted[] = [];
  const firstSeed = Number(values.seed);
  for (let seed = firstSeed; seed < firstSeed + Number(values.runs); seed++) runs.push(await simulateInterruption(seed));
  const rows = timingSources.map((timingSource) =>
    rowOf(
      timingSource,
      runs.filter((run) => run.timingSource === timingSource),
    ),
  );
  report('voice-interruptions', rows);
  const wrong = runs.filter((run) => run.timingSource !== 'uneven, untimed' && isWrong(run));
  for (const run of wrong.slice(0, examplesMax)) process.stdout.write(`${JSON.stringify(run)}\n`);
  process.stdout.write(`${runs.length} interruptions, ${wrong.length} wrong (uneven, untimed speech is not judged)\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function isWrong({ heardWords, storedWords, isPrefix }: Interrupted): boolean {
  return !isPrefix || storedWords > heardWords || storedWords < heardWords - 1;
}

function rowOf(timingSource: string, runs: readonly Interrupted[]): Figures {
  const count = (holds: (run: Interrupted) => boolean): number => runs.filter(holds).length;
  const silences = runs.flatMap(({ silentAfterMs }) => silentAfterMs ?? []);
  return {
    'known of the sound': timingSource,
    runs: runs.length,
    'while speaking': silences.length,
    'nothing heard': count(({ heardWords }) => heardWords === 0),
    exact: count(({ heardWords, storedWords }) => storedWords === heardWords),
    'one word less': count(({ heardWords, storedWords }) => storedWords === heardWords - 1),
    'more than one less': count(({ heardWords, storedWords }) => storedWords < heardWords - 1),
    ahead: count(({ heardWords, storedWords }) => storedWords > heardWords),
    'silent after p50 ms': quantile(silences, 0.5).toFixed(0),
    'max ms': quantile(silences, 1).toFixed(0),
  };
}

void main();
