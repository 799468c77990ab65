export * from './agent-figures';
export * from './call-counts';
export * from './question-figures';
export * from './sales-performance';
