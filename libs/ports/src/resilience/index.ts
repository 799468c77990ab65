export * from './begin';
export * from './circuit-breaker';
export * from './first-that-works';
export * from './in-time';
export * from './retrying';
