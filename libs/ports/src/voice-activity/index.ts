export * from './loudness-voice-activity';
export * from './voice-activity';
