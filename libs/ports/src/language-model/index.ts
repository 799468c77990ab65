export * from './language-model';
