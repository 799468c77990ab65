export * from './call-control';
export * from './call-records';
export * from './calling-hours';
export * from './calls';
export * from './campaigns';
export * from './carrier-accounts';
export * from './do-not-call';
export * from './numbers';
