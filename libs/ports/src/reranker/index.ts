export * from './reranker';
export * from './scripted-reranker';
