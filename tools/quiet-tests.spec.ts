import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
/** Measures time or CPU, or compares it with a limit. */
const judgesTime =
  /longestTurnMs\(|[cC]puUsage\(|monitorEventLoopDelay\(|performance\.now\(\) - \w+\)\s*\.toBeLess|Date\.now\(\) - \w+\)\s*\.toBeLess|expect\((tookMs|Math\.(min|max)\(\.\.\.took)/;
const specs = globSync('{apps,libs,tools,k8s,deploy,docs}/**/*.spec.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(path.join(root, file), 'utf8'),
}));

describe('a test file that judges by time', () => {
  it('is marked, so that `npm test` runs it on a quiet machine', () => {
    const judging = specs.filter(({ text }) => judgesTime.test(text));
    expect(judging.length).toBeGreaterThan(10);
    expect(judging.filter(({ text }) => !text.startsWith('/** @quiet ')).map(({ file }) => file)).toEqual([]);
  });

  it('has its mark in the first line', () => {
    expect(
      specs.filter(({ text }) => /^\/\*\* @quiet/mu.test(text) && !text.startsWith('/** @quiet ')).map(({ file }) => file),
    ).toEqual([]);
  });
});
