// What ships and what does not: the one definition used by the build, the lint rules and the tests that count files.

/** Tests and their helpers: never built. */
export const testGlobs = [
  '**/*.{spec,suite,fake,fixture,example,e2e}.ts',
  '**/{testing,suite,suites,e2e}/**',
  'libs/providers/src/carrier-phones/**',
];

/** What developers run: built for `npm run bench`, `sim`, `fuzz` and `chaos`, but not part of the image. */
export const toolGlobs = [
  'bench/**',
  'apps/all-in-one/src/{fuzz,chaos}/**',
  'apps/gateway/src/money/index.ts',
  'apps/knowledge-ingest/src/retrieval/index.ts',
  'apps/telephony-bridge/src/campaigns/index.ts',
  'apps/telephony-bridge/src/campaigns/simulation/**',
  'libs/providers/src/carrier-http/stub-carrier-api.ts',
  'libs/providers/src/carrier-peers/**',
  'libs/voice-session/src/scripted/**',
];

const tests = testGlobs.map(patternOf);
const tools = toolGlobs.map(patternOf);
const isNone = /(^|\/)node_modules\/|(\.d\.ts|project\.json|\.md)$/;

/** Whether a file, named from the root of the repository, belongs to the tests. */
export function isOfTests(file) {
  return tests.some((pattern) => pattern.test(file));
}

/** Whether the build compiles or copies a file. */
export function isBuilt(file) {
  return !isNone.test(file) && !isOfTests(file);
}

/** Whether a file is in the image: production code. */
export function isShipped(file) {
  return isBuilt(file) && !tools.some((pattern) => pattern.test(file));
}

/** The pattern of a glob. `**` is any number of folders, `*` a part of a name, `{a,b}` a choice: all that is used above. */
function patternOf(glob) {
  const words = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '.': '\\.', '{': '(?:', '}': ')', ',': '|' };
  return new RegExp(`^${glob.replace(/\*\*\/|\*\*|[*.{},]/g, (word) => words[word])}$`);
}
