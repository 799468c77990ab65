// `npm run sim -- <name> [options]`: many cases drawn from seeds, run and judged. Without a name it lists what there is.
import { runProgram } from './programs.mjs';

await runProgram('sim', 'simulation');
