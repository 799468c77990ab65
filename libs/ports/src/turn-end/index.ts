export * from './scripted-turn-end';
export * from './turn-end';
