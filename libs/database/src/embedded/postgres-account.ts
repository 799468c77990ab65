import { readFileSync, statSync } from 'node:fs';

/** The system account that Postgres runs as. Absent: the account of this process. */
export interface PostgresAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Postgres refuses to run as root, so root lends it another account: the one that owns existing data,
 * else `postgres`, else `nobody`. No account is ever created on the machine.
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
