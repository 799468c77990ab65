import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { become, prepareWorkspace, refuse, root } from './workspace.mjs';

/**
 * Builds and becomes the program `file` in the folder of bench/ named on the command line; without a name it lists the folders.
 */
export async function runProgram(command, file) {
  const node = await prepareWorkspace();
  const names = readdirSync(path.join(root, 'bench')).filter((name) => existsSync(path.join(root, 'bench', name, `${file}.ts`)));
  const [name, ...options] = process.argv.slice(2);
  const isAsked = name === undefined || name === '--help' || name === '-h';
  if (!names.includes(name)) refuse(`npm run ${command} -- <name>, where name is one of: ${names.join(', ')}`, isAsked ? 0 : 1);
  await build().catch((error) => refuse(`the build failed: ${error.message}`));
  await become(node, ['--enable-source-maps', `dist/bench/${name}/${file}.js`, ...options]);
}
