export { hasBrowser, openBrowser } from './browser';
export { eventually } from './eventually';
export { FaultyLink, type LinkFault, linkFaults } from './faulty-link';
export { onlyIntervals } from './intervals';
export { testDatabase, type TestDatabase } from './postgres';
export { loudnessOfPage, measureLoudness } from './page-loudness';
export { postgresForTests, type ServerUrls } from './postgres-server';
export { killHard, typeScriptProcess, type TypeScriptProcess } from './typescript-process';
export * from './nats-server';
