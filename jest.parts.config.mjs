// The unit tests in the two parts that `npm test` runs one after the other: see docs/decisions/011-judged-again-alone.md.
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import unit from './jest.config.mjs';

const isQuiet = process.env.PARLEY_TESTS === 'quiet';
const marked = globSync('{apps,libs,tools,k8s,deploy,docs}/**/*.spec.ts', { cwd: import.meta.dirname })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => readFileSync(new URL(file, import.meta.url), 'utf8').startsWith('/** @quiet '));
const asPattern = (file) => `/${file.replaceAll('.', '\\.')}$`;

/** What a worker and the processes that it starts hold at most, and what runs beside the workers. */
const workerBytes = 2.5 * 1024 ** 3;
const othersBytes = 4 * 1024 ** 3;
const room = Math.floor((totalmem() - othersBytes) / workerBytes);

export default {
  ...unit,
  ...(isQuiet
    ? { testMatch: marked.map((file) => `<rootDir>/${file}`) }
    : {
        testPathIgnorePatterns: ['/node_modules/', ...marked.map(asPattern)],
        // A file of tests keeps a core busy for less than half of its time; the rest it waits, for processes, brokers and sound.
        maxWorkers: Math.max(2, Math.min(availableParallelism() + 1, room)),
      }),
};
