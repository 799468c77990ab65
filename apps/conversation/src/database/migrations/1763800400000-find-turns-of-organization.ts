import { createIndex } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a search read the turns of its own organization only. An index of their words would not be used: row-level security
 * lets no operator near the rows of others before the policy has looked, unless a superuser has called it leakproof, and those
 * of trigrams and of text search are not.
 */
export class FindTurnsOfOrganization1763800400000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, { name: 'turns_of_organization', table: 'turns', on: '(org_id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX turns_of_organization');
  }
}
