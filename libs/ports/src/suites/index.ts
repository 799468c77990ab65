// Apart from the ports themselves: suites are tests, and no service may load them.
export * from '../embeddings/embeddings.suite';
export * from '../file-store/file-store.suite';
export * from '../language-model/language-model.suite';
export * from '../reranker/reranker.suite';
export * from '../vector-store/vector-store.suite';
export * from '../voice-activity/voice-activity.suite';
