export * from './audit';
export * from './credits';
export * from './keys';
export * from './operator-terms';
export * from './session-tokens';
export * from './widgets';
