// `npm run bench -- <name> [options]`: figures beside peers, as a table and as JSON. Without a name it lists what there is.
import { runProgram } from './programs.mjs';

await runProgram('bench', 'main');
