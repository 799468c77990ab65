// `npm run lint` with the project's own Node, whatever the machine has; lint-steps.mjs contains the checks.
import { become, explainIfAsked, prepareWorkspace } from './workspace.mjs';

explainIfAsked(import.meta.filename);
const node = await prepareWorkspace();
await become(node, ['tools/lint-steps.mjs', ...process.argv.slice(2)]);
