import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A call whose replica died counts as ended when its slot was last renewed, not when another replica found it, with the usage last
 * reported.
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
