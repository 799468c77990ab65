export * from './configured-files';
