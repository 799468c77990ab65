// `npm run bench -- <name> [options]`: figures compared with peers, as a table and as JSON. Without a name it lists the
// benchmarks.
import { runProgram } from './programs.mjs';

await runProgram('bench', 'main');
