// `npm run bench -- <name> [options]`: figures beside peers, as a table and as JSON. Without a name it lists what there is.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse, root } from './workspace.mjs';

const node = await prepareWorkspace();
const names = readdirSync(path.join(root, 'bench')).filter((name) => existsSync(path.join(root, 'bench', name, 'main.ts')));
const [name, ...options] = process.argv.slice(2);
if (!names.includes(name)) refuse(`npm run bench -- <name>, where name is one of: ${names.join(', ')}`, name ? 1 : 0);
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', `dist/bench/${name}/main.js`, ...options]);
