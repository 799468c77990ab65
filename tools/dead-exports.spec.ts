import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deadExports } from './dead-exports.mjs';

describe('the check for exports that nobody imports', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'exports-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const deadIn = (files: Record<string, string>): string[] => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    return deadExports(root);
  };

  it('names what is exported and imported nowhere, also behind a face that only passes it on', () => {
    const files = {
      'libs/a/src/index.ts': "export * from './one';",
      'libs/a/src/one.ts': 'export const used = 1;\nexport const idle = 2;\nexport interface Forgotten { readonly a: number }',
      'libs/b/src/two.ts': "import { used } from '../../a/src';\nexport class Alone { readonly b = used; }",
    };
    expect(deadIn(files).toSorted()).toEqual([
      'libs/a/src/one.ts: Forgotten',
      'libs/a/src/one.ts: idle',
      'libs/b/src/two.ts: Alone',
    ]);
  });

  it('takes a late import, and a name that a test quotes, for a use', () => {
    const files = {
      'libs/a/src/one.ts': 'export const late = 1;',
      'libs/a/src/two.ts': "const later = import('./one');",
      'libs/a/src/process.ts': 'export function started(): void {}',
      'libs/a/src/process.spec.ts': "run('started');",
    };
    expect(deadIn(files)).toEqual([]);
  });
});
