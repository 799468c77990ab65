export * from './circuit-breaker';
export * from './first-that-works';
export * from './retrying';
