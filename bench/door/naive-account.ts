import type { DataSource } from 'typeorm';

interface Contestant {
  readonly name: string;
  readonly workspaces: number;
  call(orgId: number): Promise<void>;
}

/**
 * One transaction per call, with SELECT … FOR UPDATE: no hold, no row-level security and no events, which is half of what our
 * call does.
 */
export class NaiveAccount {
  static async open(dataSource: DataSource): Promise<Contestant[]> {
    await dataSource.query(`
      CREATE TABLE IF NOT EXISTS naive_accounts (org_id int PRIMARY KEY, balance bigint NOT NULL);
      CREATE TABLE IF NOT EXISTS naive_ledger (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org_id int NOT NULL, units bigint NOT NULL);
      INSERT INTO naive_accounts SELECT n, 1000000000 FROM generate_series(1, 1000) n ON CONFLICT DO NOTHING`);
    const call = (orgId: number): Promise<void> => charge(dataSource, orgId);
    return [
      { name: 'naive: SELECT … FOR UPDATE, one workspace', workspaces: 1, call },
      { name: 'naive: SELECT … FOR UPDATE, 1,000 workspaces', workspaces: 1_000, call },
    ];
  }
}

function charge(dataSource: DataSource, orgId: number): Promise<void> {
  return dataSource.transaction(async (manager) => {
    const rows: { balance: string }[] = await manager.query('SELECT balance FROM naive_accounts WHERE org_id = $1 FOR UPDATE', [
      orgId,
    ]);
    if (Number(rows[0]?.balance) < 7) throw new Error('no credit');
    await manager.query('UPDATE naive_accounts SET balance = balance - 7 WHERE org_id = $1', [orgId]);
    await manager.query('INSERT INTO naive_ledger (org_id, units) VALUES ($1, -7)', [orgId]);
  });
}
