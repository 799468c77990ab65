export * from './local-embeddings';
