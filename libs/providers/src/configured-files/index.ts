export * from './configured-files';
export * from './file-sweep';
