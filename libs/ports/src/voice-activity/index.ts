export * from './loudness-voice';
export * from './loudness-voice-activity';
export * from './voice-activity';
export * from './window-cutter';
