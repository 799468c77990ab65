export * from './audit';
export * from './credits';
export * from './keys';
export * from './session-tokens';
export * from './widgets';
