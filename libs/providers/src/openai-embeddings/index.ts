export * from './openai-embeddings';
