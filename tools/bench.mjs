// `npm run bench -- <name> [options]`: figures beside peers, as a table and as JSON. Without a name it lists what there is.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse, root } from './workspace.mjs';

const node = await prepareWorkspace();
const names = readdirSync(path.join(root, 'bench'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const [name, ...options] = process.argv.slice(2);
if (!names.includes(name)) refuse(`npm run bench -- <name>, where name is one of: ${names.join(', ')}`, name ? 1 : 0);
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', `dist/bench/${name}/main.js`, ...options]);
