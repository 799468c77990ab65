export * from './socket-messages';
export * from './text-and-speech';
export * from './voice-channels';
