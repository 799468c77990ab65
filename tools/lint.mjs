// `npm run lint` on the project's own Node, whatever the machine has: what is checked is in lint-steps.mjs.
import { become, prepareWorkspace } from './workspace.mjs';

const node = await prepareWorkspace();
await become(node, ['tools/lint-steps.mjs', ...process.argv.slice(2)]);
