export * from './chat';
export * from './logs';
export * from './prompts';
export * from './sessions';
export * from './ttt';
export * from './turn-facts';
export * from './turn-parts';
export * from './turns';
