import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where the engine, its models and the libraries that came with it are. */
export interface PocketsphinxInstallation {
  readonly program: string;
  readonly models: string;
  /** Empty where the system's own libraries serve. */
  readonly libraries: readonly string[];
}

/** The first of these folders that holds the engine with its English model; each is laid out like a root directory. */
export function findPocketsphinx(folders: readonly string[]): PocketsphinxInstallation | undefined {
  for (const folder of folders) {
    const program = path.join(folder, 'usr/bin/pocketsphinx_continuous');
    const models = path.join(folder, 'usr/share/pocketsphinx/model/en-us');
    if (isThere(program, constants.X_OK) && isThere(path.join(models, 'en-us.lm.bin'), constants.R_OK)) {
      return { program, models, libraries: folder === '/' ? [] : librariesIn(path.join(folder, 'usr/lib')) };
    }
  }
  return undefined;
}

function isThere(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/** Every folder below that holds a shared library. */
function librariesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [...new Set(entries.filter(({ name }) => name.includes('.so')).map(({ parentPath }) => parentPath))];
}
