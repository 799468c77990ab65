// `npm run chaos -- credits [--kills 200]`: kill -9 under load, after which the books must balance exactly.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { creditsUnderKills, type CreditsRun } from './credits';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { kills: { type: 'string', default: '200' } } });
const killsMax = 10_000;

async function main(): Promise<void> {
  const kills = Number(values.kills);
  const isUnderstood =
    positionals.length === 1 && positionals[0] === 'credits' && Number.isInteger(kills) && kills >= 0 && kills <= killsMax;
  if (!isUnderstood) {
    process.stderr.write('npm run chaos -- credits [--kills 200]\n');
    process.exit(2);
  }
  const home = mkdtempSync(path.join(tmpdir(), 'parley-chaos-'));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(home, 0o755);
  const outcome = await creditsUnderKills(home, kills);
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  if (isSound(outcome)) rmSync(home, { recursive: true, force: true });
  else process.stderr.write(`chaos: something is wrong; the home is kept in ${home}\n`);
  process.exit(isSound(outcome) ? 0 : 1);
}

function isSound({
  difference,
  breaks,
  staleHolds,
  held,
  openHolds,
  acknowledgedWrongly,
  linesTooMany,
  turnsUnpaid,
  turnsMissing,
  givenUp,
}: CreditsRun): boolean {
  return [
    difference,
    breaks,
    staleHolds,
    held - openHolds,
    held,
    acknowledgedWrongly,
    linesTooMany,
    turnsUnpaid,
    turnsMissing,
    givenUp,
  ].every((figure) => figure === 0);
}

void main();
