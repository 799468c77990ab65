export * from './audit';
export * from './credits';
export * from './keys';
export * from './rate-limits';
export * from './session-tokens';
export * from './widgets';
