export * from './agent-config';
export * from './faults';
export * from './gateway';
export * from './messages';
export * from './principal';
export * from './team-sales';
export * from './vocabulary';
