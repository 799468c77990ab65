// `npm run verify -- deploy [--only=process] [--keep-image]`: checks that set up whole installations. Prints one table that includes every
// check, even those not run. `--only` runs a part, or several with commas between them: process, pooler, restore, upgrade, kill,
// kubernetes, arm64, container, compose. `--keep-image` takes the image that is there.
import { build } from './build.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const [what, ...rest] = process.argv.slice(2);
// A misspelt option would otherwise run everything.
const unknown = rest.find((word) => !/^--only=.|^--keep-image$/.test(word));
if (what !== 'deploy' || unknown !== undefined) refuse(`no ${unknown ?? what ?? 'name'} here: npm run verify -- --help`, 64);
const node = await prepareWorkspace();
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['deploy/verify/main.mjs', ...rest]);
