// The rules of CONTRIBUTING.md that a machine can enforce. Run them with `npm run lint`, never bare `eslint`:
// without the project graph that tools/lint-steps.mjs makes, the boundary rule skips itself and passes.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { testGlobs, toolGlobs } from './tools/shipped.mjs';

/** Code of tests, and of tests and benchmarks together. */
const tests = testGlobs.map(ofTypeScript);
const testParts = [...tests, ...toolGlobs.map(ofTypeScript)];

/** A folder holds other files as well. */
function ofTypeScript(glob) {
  return glob.endsWith('/**') ? `${glob}/*.ts` : glob;
}

/** Where the environment may be read: one file per service, the kit's reader, and programs that are not services. */
const environmentReaders = [
  'apps/*/src/config.ts',
  'libs/service-kit/src/{config,configuration,environment}*.ts',
  'libs/service-kit/src/{config,configuration,environment}/**/*.ts',
  'libs/testing/**/*',
  '**/bench/**/*',
  'tools/*.mjs',
  'deploy/{stand-ins,verify}/*.mjs',
  'deploy/*.mjs',
  'jest.*.config.mjs',
  'apps/all-in-one/e2e/platform/*.ts',
  '**/*.spec.ts',
];

/** Who may import whom, by the tags in each project.json. */
const mayImport = {
  contracts: [],
  port: ['contracts'],
  kit: ['contracts', 'port', 'kit'],
  adapter: ['contracts', 'port', 'kit'],
  app: ['contracts', 'port', 'kit', 'adapter'],
  host: ['*'],
  testing: ['contracts', 'port', 'kit', 'adapter', 'testing'],
};
const tag = (kind) => (kind === '*' ? '*' : `kind:${kind}`);
const constraints = (extra = []) =>
  Object.entries(mayImport).map(([kind, kinds]) => ({
    sourceTag: tag(kind),
    onlyDependOnLibsWithTags: [...kinds, ...extra].map(tag),
  }));
const boundaries = (depConstraints, allow = []) => ({
  '@nx/enforce-module-boundaries': ['error', { allow, enforceBuildableLibDependency: false, depConstraints }],
});

const notRun = 'a focused or skipped test passes by not being run: delete it or make it run';
const testWords = '[object.name=/^(describe|it|test)$/]';
// Choosing `it` or `it.skip` by what the machine can do is honest: `npm test` prints the title of each test it skipped.
const noFocusedTests = [
  `MemberExpression${testWords}[property.name=/^(only|todo|failing)$/]`,
  `:not(ConditionalExpression) > MemberExpression${testWords}[property.name='skip']`,
  'CallExpression[callee.name=/^(xit|xtest|xdescribe|fit|fdescribe)$/]',
].map((selector) => ({ selector, message: notRun }));
// `Object(x)` has the type `any`, so everything read from it is silently unchecked.
const noHiddenAny = {
  selector: 'CallExpression[callee.name="Object"]',
  message:
    'Object(x) is `any` in disguise: parse it with zod, narrow it with typeof and in, or in tests use recordOf of @parley/testing',
};
const unnamedNotFound = {
  selector: "NewExpression[callee.name='Fault'][arguments.length=1] > Literal[value='NOT_FOUND']",
  message: 'say what there is not: notThere("member") of @parley/contracts',
};
const asleep = 'await the event itself (eventually and atRest of @parley/testing), or fake the clock';
// Cleared timeouts and simulated slow machines are not tests: they belong in folders called testing.
const noTimedWaits = [
  'CallExpression[callee.name="setTimeout"]',
  'CallExpression[callee.property.name="setTimeout"][callee.object.name="globalThis"]',
].map((selector) => ({ selector, message: asleep }));
const environment = 'read the environment in config.ts only';

/** The strict rules we changed, each with its reason. */
const heldDifferently = {
  // A number in a text is what it looks like.
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
  // `signal.reason` has the type unknown, and must be passed on.
  '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
  // A callback of one expression reads no better with braces, nor does `return void work()` that ends a branch (45 places).
  '@typescript-eslint/no-confusing-void-expression': 'off',
  '@typescript-eslint/no-meaningless-void-operator': 'off',
  // `async` also turns exceptions into rejections, as a port's contract requires.
  '@typescript-eslint/require-await': 'off',
  // A Nest module is a class without members.
  '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
  // The compiler refuses unused names, and allows parameters that only hold a position.
  '@typescript-eslint/no-unused-vars': 'off',
  // `Promise.withResolvers<void>()` is how one waits for a moment.
  '@typescript-eslint/no-invalid-void-type': 'off',
  // Rows of TypeORM are copied to be changed, and texts are cut by code points on purpose.
  '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
  '@typescript-eslint/no-misused-spread': 'off',
  // Objects of functions are taken apart where they are used; classes whose methods need `this` are not.
  '@typescript-eslint/unbound-method': 'off',
  // The analysis ignores that other code may change values during an `await`; most of its 28 findings in services are that.
  '@typescript-eslint/no-unnecessary-condition': 'off',
};

/** Where native modules, workers, JSON and frameworks return `any`, which is typed on entry. */
const foreign = [
  'libs/database/src/{queries,transaction}.ts',
  'libs/providers/src/{espeak,flite,sherpa-onnx}/*.{child,worker}.ts',
  'libs/providers/src/llama-cpp/index.ts',
  'deploy/checks/{compose-file,render-kustomization}.ts',
  'apps/gateway/src/api/openapi/named-schemas.ts',
  'apps/telephony-bridge/src/door/media-door.ts',
];
/** What has no successor yet, and an interface of Nest with a type parameter of its own. */
const excepted = [
  {
    files: [
      'bench/speech/counting-engine.ts',
      'libs/messaging/src/tracing.ts',
      'libs/providers/src/speech-http/stub-provider.fake.ts',
    ],
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
  {
    files: ['libs/messaging/src/requests/bus-server.ts'],
    rules: { '@typescript-eslint/no-unnecessary-type-parameters': 'off' },
  },
];
/** Tests read untyped replies, and `expect` checks them. */
const unchecked = ['argument', 'assignment', 'call', 'member-access', 'return'].map((what) => [
  `@typescript-eslint/no-unsafe-${what}`,
  'off',
]);

export default tseslint.config(
  { ignores: ['**/node_modules/', 'dist/', '.parley/', '.cache/', '.nx/', 'coverage/', 'tools/lint-canary/'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,mjs}'],
    rules: {
      eqeqeq: ['error', 'always'],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 70],
      'no-console': 'error',
      'no-debugger': 'error',
      'no-unreachable': 'error',
      'no-var': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: environment }],
      'no-restricted-syntax': ['error', ...noFocusedTests],
      'no-restricted-imports': [
        'error',
        { paths: ['process', 'node:process'].map((name) => ({ name, importNames: ['env'], message: environment })) },
      ],
      'prefer-const': 'error',
    },
  },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  { files: ['**/*.ts'], rules: heldDifferently },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@typescript-eslint': tseslint.plugin, '@nx': nx },
    rules: {
      ...boundaries(constraints()),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-require-imports': 'error',
      '@typescript-eslint/no-unused-expressions': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['libs/messaging/src/**/*.ts', ...tests],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }] },
  },
  {
    files: ['**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...noFocusedTests, noHiddenAny, unnamedNotFound] },
  },
  { files: foreign, rules: Object.fromEntries(unchecked) },
  ...excepted,
  {
    files: testParts,
    rules: {
      ...Object.fromEntries(unchecked),
      'no-restricted-syntax': ['error', ...noFocusedTests, noHiddenAny],
      '@typescript-eslint/no-base-to-string': 'off',
      // A service made up for a test is a class with a name.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
    },
  },
  // A test may lean on libs/testing; a describe block is a list of tests, not a function to keep short.
  { files: tests, rules: { ...boundaries(constraints(['testing'])), 'max-lines-per-function': 'off' } },
  // Hosts compose services, and benchmarks measure the very code that serves; Nx refuses imports of applications unless they are named.
  { files: ['apps/all-in-one/**/*.ts', 'bench/**/*.ts'], rules: boundaries(constraints(['testing']), ['@parley/apps/**']) },
  {
    files: ['**/*.{spec,suite,e2e}.ts', 'libs/messaging/src/suite/*.ts', 'tools/lint-canary/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noFocusedTests, ...noTimedWaits, noHiddenAny],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['timers/promises', 'node:timers/promises'].map((name) => ({
            name,
            importNames: ['setTimeout', 'scheduler'],
            message: asleep,
          })),
        },
      ],
    },
  },
  {
    files: ['tools/lint-canary/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...noFocusedTests, ...noTimedWaits, noHiddenAny, unnamedNotFound] },
  },
  { files: environmentReaders, rules: { 'no-restricted-properties': 'off', 'no-restricted-imports': 'off' } },
  { files: ['tools/**/*.mjs', '**/bench/**/*'], rules: { 'no-console': 'off' } },
);
