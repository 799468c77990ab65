export * from './cached-speech';
export * from './enduring-speech';
export * from './metered-speech';
export * from './scripted-text-to-speech';
export * from './text-to-speech';
