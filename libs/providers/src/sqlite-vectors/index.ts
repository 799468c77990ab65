export * from './sqlite-vector-store';
