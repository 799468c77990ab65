import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The end of a conversation tells how many turns it had: an index finds the call that it was held in. */
export class FindCallsBySession1764300800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX calls_of_session ON calls (session_uuid) WHERE session_uuid IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX calls_of_session');
  }
}
