// `npm run eval -- <name> [options]`: how correct the answers are, as `npm run bench` shows how fast. Without a name it lists the
// evaluations.
import { runProgram } from './programs.mjs';

await runProgram('eval', 'evaluation');
