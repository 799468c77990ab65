export * from './llm-provider-variables';
export * from './llm-providers';
