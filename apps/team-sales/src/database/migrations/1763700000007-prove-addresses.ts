import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose address was proven. Of the members of before, it is known of the owners alone whom an operator named: they had no invitation. */
export class ProveAddresses1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE memberships ADD COLUMN proves_address boolean NOT NULL DEFAULT false');
    await runner.query(`UPDATE memberships SET proves_address = true WHERE status = 'ACCEPTED' AND token_hash IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE memberships DROP COLUMN proves_address');
  }
}
