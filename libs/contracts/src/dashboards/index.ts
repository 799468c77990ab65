export * from './call-counts';
export * from './campaign-dashboard';
export * from './sales-performance';
