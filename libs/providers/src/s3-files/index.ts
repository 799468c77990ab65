export * from './s3-files';
