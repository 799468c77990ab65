import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which providers failed in a turn, also where another one answered; null in nearly all of them. */
export class KeepProviderErrors1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE turns ADD COLUMN provider_errors jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE turns DROP COLUMN provider_errors');
  }
}
