export * from './embeddings';
export * from './scripted-embeddings';
