// The unit tests in the three parts of `npm test`: see docs/decisions/011-failed-tests-are-repeated-alone.md and 076-tests-that-wait.md.
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import unit from './jest.config.mjs';
import { testsThatNeedNats } from './tools/nats-server.mjs';

const all = globSync('{apps,libs,tools,k8s,deploy,docs}/**/*.spec.ts', { cwd: import.meta.dirname }).map((file) => ({
  file: file.replaceAll('\\', '/'),
  text: readFileSync(new URL(file.replaceAll('\\', '/'), import.meta.url), 'utf8'),
}));
const marked = (mark) => all.filter(({ text }) => text.startsWith(`/** @${mark} `)).map(({ file }) => file);
const marks = ['quiet', 'waits'];
// Where there is no nats-server, `npm test` says so once, and counts them.
const lost = process.env.PARLEY_NATS === 'absent' ? testsThatNeedNats() : [];
const asPattern = (file) => `/${file.replaceAll('.', '\\.')}$`;
const part = process.env.PARLEY_TESTS;

export default {
  ...unit,
  ...(marks.includes(part)
    ? { testMatch: marked(part).flatMap((file) => (lost.includes(file) ? [] : [`<rootDir>/${file}`])) }
    : { testPathIgnorePatterns: ['/node_modules/', ...[...marks.flatMap(marked), ...lost].map(asPattern)] }),
  // They hardly use a core.
  ...(part === 'waits' && { maxWorkers: 1 }),
  // A worker waits for Postgres, brokers and processes almost half of the time.
  ...(part === 'beside others' && { maxWorkers: availableParallelism() + 1 }),
};
