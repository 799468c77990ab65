// Compiled files are cached across processes: tests start dozens, and each loads hundreds of our files.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');
const swcVersion = () => JSON.parse(readFileSync(path.join(root, 'node_modules/@swc/core/package.json'), 'utf8')).version;

/** A compiler of our files with these options. It keeps one entry a file under its name, which a change of the file writes over. */
export function compilerOf(name, options) {
  const folder = path.join(root, '.cache', 'typescript', name);
  const recipe = JSON.stringify([swcVersion(), options]);
  return (filename) => {
    const source = readFileSync(filename, 'utf8');
    const title = `/* ${createHash('sha256').update(recipe).update(source).digest('hex')} */`;
    const kept = path.join(folder, path.relative(root, filename));
    const known = readKept(kept);
    if (known?.startsWith(title)) return known.slice(title.length);
    // Loaded only where something is new: it is a native library.
    const { code } = createRequire(import.meta.url)('@swc/core').transformSync(source, { ...options, filename });
    keep(kept, title + code);
    return code;
  };
}

function readKept(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Written whole or not at all, for others read at the same time. Where nothing can be written, all is compiled each time. */
function keep(file, text) {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  } catch {
    // The next process compiles it again.
  }
}
