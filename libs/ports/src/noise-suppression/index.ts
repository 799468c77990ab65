export * from './noise-suppression';
