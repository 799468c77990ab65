export * from './agent-figures';
export * from './call-counts';
export * from './campaign-dashboard';
export * from './quality-figures';
export * from './question-figures';
export * from './sales-performance';
