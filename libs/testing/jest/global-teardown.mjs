export { stopPostgres as default } from './postgres-of-run.mjs';
