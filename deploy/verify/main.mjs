// `npm run verify -- deploy`: sets up whole installations and looks at them as an operator would. Prints one table; what this machine
// cannot run is a row that says so.
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
import { standbyChecks } from './standby-checks.mjs';
import { upgradeChecks } from './upgrade-checks.mjs';
import { verify } from './verification.mjs';

const words = process.argv.slice(2);
const wanted = words
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const groups = [
  processChecks,
  poolerChecks,
  restoreChecks,
  standbyChecks,
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

await verify(groups.filter((group) => !wanted || wanted.some((name) => group.name.startsWith(name))));
