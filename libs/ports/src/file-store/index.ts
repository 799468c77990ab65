export * from './file-store';
export * from './scripted-file-store';
