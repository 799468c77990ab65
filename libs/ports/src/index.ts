export * from './embeddings';
export * from './file-store';
export * from './provider-failure';
export * from './resilience';
export * from './speech-to-text';
export * from './spoken-language';
export * from './text-to-speech';
export * from './vector-store';
