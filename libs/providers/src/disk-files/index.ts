export * from './disk-files';
