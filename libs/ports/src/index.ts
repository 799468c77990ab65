export * from './embeddings';
export * from './file-store';
export * from './provider-failure';
export * from './vector-store';
