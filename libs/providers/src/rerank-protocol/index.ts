export * from './protocol-reranker';
