export { offerPostgres as default } from './postgres-of-run.mjs';
