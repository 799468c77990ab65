export * from './agent-runtime';
export * from './agent-tools';
export * from './agent-versions';
export * from './agents';
export * from './lookups';
export * from './provider-keys';
export * from './providers';
export * from './runtime-config';
