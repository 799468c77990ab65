// Lints the workspace, after making sure that the linter itself works: see tools/lint-canary.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importCycles } from './import-cycles.mjs';

const root = path.resolve(import.meta.dirname, '..');
const skipSentence = 'The rule will be skipped';
const vagueNames = /^(utils?|helpers?|common|shared|misc)(\.|$)/i;
const canaryFolder = 'tools/lint-canary';
const knipQuietly = ['--no-progress', '--no-config-hints'];

const steps = {
  names: checkNames,
  cycles: checkCycles,
  unused: findUnused,
  packages: checkPackages,
  licences: checkLicences,
  format: checkFormat,
  'project graph': makeProjectGraph,
  canary: checkCanary,
  rules: lintWorkspace,
};
for (const [name, step] of Object.entries(steps)) {
  const startedAt = performance.now();
  const problem = await step();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (problem) {
    console.error(`lint: ${name}: FAILED after ${seconds} s\n${problem}`);
    process.exit(1);
  }
  console.log(`lint: ${name}: ok (${seconds} s)`);
}

/** Refuses file and folder names that say nothing about their content. */
function checkNames() {
  const exclude = ({ name }) => name === 'node_modules' || name === 'dist';
  const entries = globSync('{apps,libs,tools,bench,deploy,k8s}/**/*', { cwd: root, withFileTypes: true, exclude });
  const vague = entries.filter(({ name }) => vagueNames.test(name));
  return vague
    .map(({ parentPath, name }) => `${path.relative(root, path.join(parentPath, name))}: name it for what it holds`)
    .join('\n');
}

/** Refuses import cycles of files and of folders. */
function checkCycles() {
  return importCycles(root)
    .map((circle) => `imports run in a circle: ${circle}`)
    .join('\n');
}

/** Finds unused files, exports and packages; knip.json lists the entry points. */
async function findUnused() {
  const { code, output } = await run('knip', knipQuietly);
  return code === 0 ? '' : output;
}

/**
 * Shipped code must not import development packages, and no dependency may be there only for tests. Type imports do not count.
 */
async function checkPackages() {
  const { code, output } = await run('knip', [...knipQuietly, '--production', '--strict', '--include', 'dependencies,unlisted']);
  return code === 0 ? '' : output;
}

/** Shipped packages have licences that may be part of a work under Apache-2.0, or NOTICE says why they may be shipped. */
async function checkLicences() {
  const { code, output } = await runScript(path.join(root, 'tools/licences.mjs'), []);
  return code === 0 ? '' : output;
}

/** Checks the format that `npm run format` produces. */
async function checkFormat() {
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/prettier'];
  const { code, output } = await run('prettier', ['--check', ...cache, '.']);
  return code === 0 ? '' : `${output}\nnpm run format mends this`;
}

/** The boundary rule reads this graph from Nx's cache; a stale one would judge outdated imports. */
async function makeProjectGraph() {
  const { code, output } = await run('nx', ['graph', '--file=.cache/project-graph.json']);
  return code === 0 ? '' : output;
}

/**
 * Every rule in `// expects:` of a canary file, and every message in `// says:`, must be reported for it, even though it tries to
 * disable some.
 */
async function checkCanary() {
  const { output, stdout } = await run('eslint', ['--no-ignore', '--format=json', canaryFolder]);
  if (output.includes(skipSentence) || !stdout.startsWith('[')) return output;
  const files = JSON.parse(stdout);
  const silent = files.flatMap(({ filePath, messages }) => {
    const said = messages.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    return expectedIn(filePath)
      .filter((expected) => !said.some((each) => each.includes(expected)))
      .map((expected) => `${path.relative(root, filePath)}: did not fire: ${expected}`);
  });
  return files.length === 2 ? silent.join('\n') : `${files.length} canary files were linted instead of 2`;
}

function expectedIn(file) {
  const lines = [...readFileSync(file, 'utf8').matchAll(/^\/\/ (expects|says): (.+)$/gm)];
  return lines.flatMap(([, kind, words]) => (kind === 'expects' ? words.split(', ').map((rule) => `${rule}: `) : [words]));
}

async function lintWorkspace() {
  const cache = ['--cache', '--cache-strategy=content', '--cache-location=.cache/eslint/'];
  const { code, output } = await run('eslint', ['.', '--max-warnings=0', ...cache, ...process.argv.slice(2)]);
  return code !== 0 || output.includes(skipSentence) ? output : '';
}

function run(program, args) {
  return runScript(path.join(root, 'node_modules/.bin', program), args);
}

function runScript(script, args) {
  const env = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false' };
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].setEncoding('utf8').on('data', (text) => (printed[stream] += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout: printed.stdout, output: printed.stdout + printed.stderr }));
  });
}
