export * from './chat';
export * from './logs';
export * from './sessions';
export * from './ttt';
export * from './turn-parts';
export * from './turns';
