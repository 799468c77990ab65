import unit from './jest.config.mjs';

/** The journeys share one running platform per transport, started once by the first of them. */
export default {
  ...unit,
  testMatch: ['<rootDir>/apps/all-in-one/e2e/**/*.e2e.ts'],
  globalSetup: '<rootDir>/apps/all-in-one/e2e/platform/start.ts',
  globalTeardown: '<rootDir>/apps/all-in-one/e2e/platform/stop.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
};
