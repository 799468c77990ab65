import { availableParallelism } from 'node:os';
import { swcOptions } from './swc.config.mjs';

const options = swcOptions(import.meta.dirname);
delete options.jsc.paths;
delete options.jsc.baseUrl;
// Under Jest the files keep their names, so imports that say `.ts` stay as they are.
delete options.jsc.rewriteRelativeImportExtensions;

export default {
  // A limit for what hangs, not a judgement of speed: CI machines are shared.
  testTimeout: 300_000,
  // Much of what the tests do is to wait for other processes: Jest's own choice, one worker on two cores, leaves a core idle.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  testEnvironment: '<rootDir>/libs/testing/jest/plain-globals.mjs',
  runtime: '<rootDir>/libs/testing/jest/shared-scripts.mjs',
  testMatch: ['<rootDir>/{apps,libs,tools,k8s,deploy,docs}/**/*.spec.ts'],
  globalSetup: '<rootDir>/libs/testing/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/jest/global-teardown.mjs',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.parley', '<rootDir>/.cache'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', options] },
  // These ship as ES modules; everything else runs as published.
  transformIgnorePatterns: [
    '/node_modules/(?!@nestjs/|@nats-io/|@seriousme/|@echogarden/|mpg123-decoder/|@wasm-audio-decoders/|eventsource-parser/)',
  ],
  moduleNameMapper: {
    '^@parley/apps/gateway/credits$': '<rootDir>/apps/gateway/src/money/index.ts',
    '^@parley/apps/knowledge-ingest/retrieval$': '<rootDir>/apps/knowledge-ingest/src/retrieval/index.ts',
    '^@parley/apps/telephony-bridge/campaigns$': '<rootDir>/apps/telephony-bridge/src/campaigns/index.ts',
    '^@parley/apps/(.*)$': '<rootDir>/apps/$1/src/service.ts',
    '^@parley/ports/suites$': '<rootDir>/libs/ports/src/suites/index.ts',
    '^@parley/voice-session/scripted$': '<rootDir>/libs/voice-session/src/scripted/index.ts',
    '^@parley/providers/(.*)$': '<rootDir>/libs/providers/src/$1/index.ts',
    '^@parley/(.*)$': '<rootDir>/libs/$1/src/index.ts',
  },
};
