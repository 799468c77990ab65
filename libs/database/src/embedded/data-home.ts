import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { PostgresAccount } from './postgres-account';

const elsewhere = ['/var/lib', '/var/tmp'];

/** Asks the system whether an account may use a path (`-x`, `-w`): the only answer that counts folder modes and ACLs. */
export function accountCan(test: '-x' | '-w', target: string, account: PostgresAccount | undefined): boolean {
  const { uid, gid } = account ?? {};
  return spawnSync('/bin/sh', ['-c', `test ${test} "$0"`, target], { cwd: '/', uid, gid }).status === 0;
}

/**
 * A private folder for the database that its account can reach: inside the wanted home,
 * or, when that lies below a folder closed to the account, in one outside that belongs to this home alone.
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
    // In a folder such as /var/tmp somebody else may have laid out this name before us.
    if (uid !== own && uid !== account?.uid) return false;
    if (account) chownSync(folder, account.uid, account.gid);
    return accountCan('-w', folder, account);
  } catch {
    return false;
  }
}
