export * from './openai-model';
