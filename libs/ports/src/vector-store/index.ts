export * from './passage';
export * from './scripted-vector-store';
export * from './vector-store';
