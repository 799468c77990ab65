// The unit tests in the two parts that `npm test` runs one after the other: see docs/decisions/011-judged-again-alone.md.
import { globSync, readFileSync } from 'node:fs';
import unit from './jest.config.mjs';
import { testsThatNeedNats } from './tools/nats-server.mjs';

const isQuiet = process.env.PARLEY_TESTS === 'quiet';
const marked = globSync('{apps,libs,tools,k8s,deploy,docs}/**/*.spec.ts', { cwd: import.meta.dirname })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => readFileSync(new URL(file, import.meta.url), 'utf8').startsWith('/** @quiet '));
// Where there is no nats-server, `npm test` says so once, and counts them.
const lost = process.env.PARLEY_NATS === 'absent' ? testsThatNeedNats() : [];
const asPattern = (file) => `/${file.replaceAll('.', '\\.')}$`;

export default {
  ...unit,
  ...(isQuiet
    ? { testMatch: marked.filter((file) => !lost.includes(file)).map((file) => `<rootDir>/${file}`) }
    : { testPathIgnorePatterns: ['/node_modules/', ...[...marked, ...lost].map(asPattern)] }),
};
