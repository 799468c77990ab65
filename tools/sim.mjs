// `npm run sim -- <name> [options]`: runs and checks many cases generated from seeds. Without a name it lists the simulations.
import { runProgram } from './programs.mjs';

await runProgram('sim', 'simulation');
