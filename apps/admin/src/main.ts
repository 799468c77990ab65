import { runAdmin } from './run-admin';

void runAdmin(process.argv.slice(2)).then((code) => process.exit(code));
