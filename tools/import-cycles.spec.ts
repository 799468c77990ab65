import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { importCycles } from './import-cycles.mjs';

describe('the check for import cycles', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'cycles-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const circlesOf = (files: Record<string, string>): string[] => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    return importCycles(root);
  };

  it('names the cycle between files, however long', () => {
    const files = { 'libs/a/src/one.ts': "import './two';", 'libs/a/src/two.ts': "export * from './three';" };
    const last = { 'libs/a/src/three.ts': "const later = () => import('./one');" };
    expect(circlesOf({ ...files, ...last })).toEqual([
      'libs/a/src/one.ts → libs/a/src/two.ts → libs/a/src/three.ts → libs/a/src/one.ts',
    ]);
  });

  it('names folders that import each other through different files, at any depth', () => {
    const files = {
      'apps/x/src/door/keys/a.ts': "import '../tokens/b';",
      'apps/x/src/door/tokens/b.ts': '',
      'apps/x/src/door/tokens/c.ts': "import '../keys/d';",
      'apps/x/src/door/keys/d.ts': '',
    };
    expect(circlesOf(files)).toEqual(['apps/x/src/door/keys → apps/x/src/door/tokens → apps/x/src/door/keys']);
  });

  it('follows imports of projects by name', () => {
    const files = { 'libs/a/src/index.ts': "import '@parley/b';", 'libs/b/src/index.ts': "import '@parley/a';" };
    expect(circlesOf(files)).toEqual(['libs/a/src/index.ts → libs/b/src/index.ts → libs/a/src/index.ts']);
  });

  it('counts imports of types, however they are written', () => {
    const files = {
      'libs/a/src/one.ts': "import type { Two } from './two';",
      'libs/a/src/two.ts': "import { type Three } from './three';",
      'libs/a/src/three.ts': "export type { One } from './one';",
    };
    expect(circlesOf(files)).toEqual(['libs/a/src/one.ts → libs/a/src/two.ts → libs/a/src/three.ts → libs/a/src/one.ts']);
  });

  it('names folders of tools, too', () => {
    const files = {
      'deploy/check/a.mjs': "import '../make/b.mjs';",
      'deploy/make/b.mjs': '',
      'deploy/make/c.mjs': "import '../check/d.mjs';",
      'deploy/check/d.mjs': '',
    };
    expect(circlesOf(files)).toEqual(['deploy/check → deploy/make → deploy/check']);
  });

  it('allows tests and imports in one direction', () => {
    const files = {
      'libs/a/src/one/a.ts': "import { b } from '../two/b';",
      'libs/a/src/two/b.ts': '',
      'libs/a/src/two/b.spec.ts': "import type { A } from '../one/a';",
    };
    expect(circlesOf(files)).toEqual([]);
  });
});
