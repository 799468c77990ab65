import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '..');
const knip = path.join(root, 'node_modules/knip/bin/knip.js');

describe('the search for unused code', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'unused-'));
    for (const name of ['knip.json', 'tsconfig.json', 'tsconfig.base.json'])
      copyFileSync(path.join(root, name), path.join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What knip reports, called as in `npm run lint`, for a repository with our rules and these files. */
  const namedIn = async (files: Record<string, string>, options: readonly string[] = []): Promise<string[]> => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const args = [knip, '--no-progress', '--no-config-hints', '--no-exit-code', '--reporter', 'json', ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    const { issues } = JSON.parse(stdout) as { issues: ({ file: string } & Record<string, { name: string }[]>)[] };
    return issues
      .flatMap(({ file, ...kinds }) =>
        Object.entries(kinds).flatMap(([kind, found]) =>
          found.map(({ name }) => `${kind}: ${name === file ? '' : `${name} in `}${file}`),
        ),
      )
      .sort();
  };

  const packages = (dependencies: object, devDependencies: object = {}): Record<string, string> => ({
    'package.json': JSON.stringify({ name: 'parley', dependencies, devDependencies }),
  });

  it('names a file that no program reaches, and exports used only in their own file, even if an index re-exports them', async () => {
    const files = {
      ...packages({}),
      'apps/gateway/src/main.ts': "import { used } from '@parley/audio';\nused();",
      'apps/gateway/src/forgotten.ts': 'export const forgotten = 1;',
      'libs/audio/src/index.ts': "export { used, idle, type Idle } from './tones';",
      'libs/audio/src/tones.ts':
        'export const used = (): void => undefined;\nexport const idle = 1;\nexport interface Idle { readonly a: 1 }',
    };
    expect(await namedIn(files)).toEqual([
      'exports: idle in libs/audio/src/index.ts',
      'exports: idle in libs/audio/src/tones.ts',
      'files: apps/gateway/src/forgotten.ts',
      'types: Idle in libs/audio/src/index.ts',
      'types: Idle in libs/audio/src/tones.ts',
    ]);
  });

  it('names a package that is not imported, and one that is imported but not listed', async () => {
    const files = { ...packages({ zod: '4.0.0' }), 'apps/gateway/src/main.ts': "import 'pino';" };
    expect(await namedIn(files)).toEqual(['dependencies: zod in package.json', 'unlisted: pino in apps/gateway/src/main.ts']);
  });

  it('names a development package that shipped code imports, and a dependency that only tests import', async () => {
    const files = {
      ...packages({ zod: '4.0.0', pino: '9.0.0', fastify: '5.0.0' }, { ajv: '8.0.0' }),
      'apps/gateway/src/main.ts': "import 'pino';\nimport Ajv from 'ajv';\nimport type { F } from 'fastify';\nnew Ajv({} as F);",
      'apps/gateway/src/shop.spec.ts': "import 'zod';",
    };
    expect(await namedIn(files)).toEqual([]);
    expect(await namedIn({}, ['--production', '--strict', '--include', 'dependencies,unlisted'])).toEqual([
      'dependencies: fastify in package.json',
      'dependencies: zod in package.json',
      'unlisted: ajv in apps/gateway/src/main.ts',
    ]);
  });
});
