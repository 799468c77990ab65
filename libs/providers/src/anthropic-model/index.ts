export * from './anthropic-model';
