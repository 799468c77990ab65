export * from './calling-hours';
export * from './calls';
export * from './campaigns';
export * from './do-not-call';
