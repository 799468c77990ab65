import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
/** Measures CPU, or compares it with a limit. */
const judgesCpu = /longestTurnMs\(|[cC]puUsage\(|monitorEventLoopDelay\(/;
/** Compares the time that passed with a limit: on a machine that is slow and busy, that says nothing of the code. */
const judgesSpeed =
  /(performance|Date)\.now\(\) - \w+\)\s*\.toBeLess|expect\(([tT]ook\w*|moved\w*Ms|[\w.]*latencyMs|Math\.(min|max)\(\.\.\.[tT]ook\w*\))\)\s*\.toBeLess/;
/** Goes on until enough time is over: a sleep under another name. */
const waitsByClock = /(performance|Date)\.now\(\)( - [\w.]+|'\)\)) [<>]/;
const specs = globSync('{apps,libs,tools,k8s,deploy,docs}/**/*.{spec,e2e}.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(path.join(root, file), 'utf8'),
}));

it('no test compares the time that passed with a limit: figures are printed, and promises about time are proved on clocks of a test', () => {
  expect(specs.filter(({ text }) => judgesSpeed.test(text)).map(({ file }) => file)).toEqual([]);
});

it('no test waits for time to pass: it waits for what comes later, or has the clock in its hands', () => {
  expect(specs.filter(({ text }) => waitsByClock.test(text)).map(({ file }) => file)).toEqual([]);
});

describe('a test file that judges by CPU', () => {
  it('is marked, so that `npm test` runs it on a quiet machine', () => {
    const judging = specs.filter(({ text }) => judgesCpu.test(text));
    expect(judging.length).toBeGreaterThan(10);
    expect(
      judging.filter(({ file, text }) => file.endsWith('.spec.ts') && !text.startsWith('/** @quiet ')).map(({ file }) => file),
    ).toEqual([]);
  });

  it('has its mark in the first line, as one that waits has', () => {
    expect(
      specs
        .filter(({ text }) => /^\/\*\* @(quiet|waits)/mu.test(text) && !/^\/\*\* @(quiet|waits) /.test(text))
        .map(({ file }) => file),
    ).toEqual([]);
  });
});
