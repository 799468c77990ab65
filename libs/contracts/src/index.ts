export * from './faults';
export * from './messages';
export * from './principal';
