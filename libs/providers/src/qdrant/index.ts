export * from './qdrant-vector-store';
