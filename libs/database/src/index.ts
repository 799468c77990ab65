export * from './schema-definition';
