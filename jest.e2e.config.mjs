import unit from './jest.config.mjs';

const form = process.env.PARLEY_JOURNEYS_ON;

/** The same journeys on every form of the platform, then what only this form can show. One running platform, started once. */
export default {
  ...unit,
  testMatch: [`<rootDir>/apps/all-in-one/e2e/{journeys,${form}}/**/*.e2e.ts`],
  globalSetup: '<rootDir>/apps/all-in-one/e2e/platform/start.ts',
  globalTeardown: '<rootDir>/apps/all-in-one/e2e/platform/stop.ts',
  maxWorkers: 1,
};
