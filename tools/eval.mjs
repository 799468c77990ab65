// `npm run eval -- <name> [options]`: how right the answers are, as `npm run bench` says how fast. Without a name it lists what there is.
import { runProgram } from './programs.mjs';

await runProgram('eval', 'evaluation');
