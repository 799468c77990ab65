export * from './socket-messages';
export * from './speech-to-text';
export * from './text-to-speech';
export * from './voice-channels';
