// `npm run verify -- deploy`: sets up whole installations and looks at them as an operator would. Prints one table; what this machine
// cannot run is a row that says so.
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { arm64Checks } from './arm64-checks.mjs';
import { composeChecks } from './compose-checks.mjs';
import { containerChecks } from './container-checks.mjs';
import { containerKillChecks, killChecks } from './kill-checks.mjs';
import { kubernetesChecks } from './kubernetes-checks.mjs';
import { poolerChecks } from './pooler-checks.mjs';
import { processChecks } from './process-checks.mjs';
import { composeProfileChecks } from './profile-checks.mjs';
import { restoreChecks } from './restore-checks.mjs';
import { kubernetesSchemaChecks } from './schema-checks.mjs';
import { upgradeChecks } from './upgrade-checks.mjs';

const words = process.argv.slice(2);
const wanted = words
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const groups = [
  processChecks,
  poolerChecks,
  restoreChecks,
  upgradeChecks,
  killChecks,
  kubernetesChecks,
  kubernetesSchemaChecks,
  containerChecks,
  // Beside the image and the stores that the part above made.
  arm64Checks,
  containerKillChecks,
  composeChecks,
  composeProfileChecks,
];

// Otherwise a misspelt part would check nothing, and nothing would fail.
const unknown = wanted?.find((name) => !groups.some((group) => group.name.startsWith(name)));
if (unknown !== undefined) {
  process.stderr.write(`parley: no part ${unknown}: ${groups.map((group) => group.name.replace(/Checks$/, '')).join(', ')}\n`);
  process.exit(64);
}

class Table {
  rows = [];

  /** Does one check. Its title is a guarantee; what it answers says how it was seen. */
  async check(title, work) {
    const startedAt = performance.now();
    const row = { title, state: 'holds', seen: '' };
    try {
      row.seen = (await work()) ?? '';
    } catch (error) {
      row.state = 'FAILS';
      row.seen = String(error.message ?? error)
        .replaceAll(/\s+/g, ' ')
        .slice(0, 900);
    }
    this.add(row, (performance.now() - startedAt) / 1000);
    return row.state === 'holds';
  }

  cannot(title, why) {
    this.add({ title, state: 'not run', seen: why }, 0);
  }

  add({ title, state, seen }, seconds) {
    this.rows.push({ title, state, seen, seconds });
    process.stderr.write(`${state.padEnd(8)} ${title} (${seconds.toFixed(1)} s) ${seen}\n`);
  }

  print() {
    const width = Math.max(...this.rows.map(({ title }) => title.length));
    process.stdout.write(`\n| ${'Check'.padEnd(width)} | State   | Seen |\n|${'-'.repeat(width + 2)}|---------|------|\n`);
    for (const { title, state, seen } of this.rows)
      process.stdout.write(`| ${title.padEnd(width)} | ${state.padEnd(7)} | ${seen} |\n`);
  }
}

const table = new Table();
const home = mkdtempSync(path.join(tmpdir(), 'parley-verify-'));
chmodSync(home, 0o755);
try {
  for (const group of groups) if (!wanted || wanted.some((name) => group.name.startsWith(name))) await group(table, home);
} finally {
  table.print();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = table.rows.some(({ state }) => state === 'FAILS') ? 1 : 0;
