export * from './file-store';
export * from './file-store.suite';
export * from './scripted-file-store';
