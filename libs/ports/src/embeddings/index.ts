export * from './embeddings';
export * from './embeddings.suite';
export * from './scripted-embeddings';
