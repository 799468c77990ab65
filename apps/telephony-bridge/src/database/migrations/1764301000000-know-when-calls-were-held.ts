import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A call whose replica died ended when that last renewed its slot, and not when another one found it; it had used by then what the
 * replica said last.
 */
export class KnowWhenCallsWereHeld1764301000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE call_slots ADD COLUMN alive_at timestamptz NOT NULL DEFAULT now(), ADD COLUMN used jsonb NOT NULL DEFAULT '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE call_slots DROP COLUMN alive_at, DROP COLUMN used');
  }
}
