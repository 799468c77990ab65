export * from './enduring-transcription';
export * from './metered-transcription';
export * from './piecewise-transcription';
export * from './scripted-speech-to-text';
export * from './speech-to-text';
