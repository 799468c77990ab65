// `npm run verify -- deploy`: checks that set up whole installations. Prints one table that includes every check, even those not
// run.
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse } from './workspace.mjs';

const [what, ...rest] = process.argv.slice(2);
if (what !== 'deploy')
  refuse(
    'usage: npm run verify -- deploy [--only=process|pooler|restore|upgrade|kill|kubernetes|arm64|container|compose] [--keep-image]',
    64,
  );
const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['deploy/verify/main.mjs', ...rest]);
