import type { MigrationInterface, QueryRunner } from 'typeorm';
import { seedLookups } from '../../lookups/seed/seed-lookups';

/** The choices of forms, with the ids that every installation shares. */
export class CreateLookups1763800100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lookups (
        kind text NOT NULL,
        id int NOT NULL CHECK (id > 0),
        key_id uuid NOT NULL UNIQUE,
        name text NOT NULL,
        labels jsonb,
        details jsonb NOT NULL,
        PRIMARY KEY (kind, id)
      )`);
    await seedLookups(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lookups');
  }
}
