export * from './google-model';
