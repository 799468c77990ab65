import { startEmbeddedPostgres } from './embedded-postgres';

/** Owns an embedded Postgres until the process is ended, in whatever way. */
export async function ownPostgres(home: string): Promise<void> {
  const { url } = await startEmbeddedPostgres({ home, durability: 'throwaway' });
  setInterval(() => undefined, 60_000);
  process.stdout.write(`${url}\n`);
}

/** Fails with an uncaught exception right after the start. */
export async function ownPostgresAndFail(home: string): Promise<void> {
  const { url } = await startEmbeddedPostgres({ home, durability: 'throwaway' });
  process.stdout.write(`${url}\n`, () => process.exit(1));
}
