// `npm run eval -- <name> [options]`: how right the answers are, as `npm run bench` says how fast. Without a name it lists what there is.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse, root } from './workspace.mjs';

const node = await prepareWorkspace();
const names = readdirSync(path.join(root, 'bench')).filter((name) => existsSync(path.join(root, 'bench', name, 'evaluation.ts')));
const [name, ...options] = process.argv.slice(2);
if (!names.includes(name)) refuse(`npm run eval -- <name>, where name is one of: ${names.join(', ')}`, name ? 1 : 0);
await build().catch((error) => refuse(`the build failed: ${error.message}`));
await become(node, ['--enable-source-maps', `dist/bench/${name}/evaluation.js`, ...options]);
