import { createIndex } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a search read only the turns of its organization. An index of their words would not be used: under row-level security only
 * operators marked leakproof may be evaluated before the policy, and those for trigrams and text search are not.
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
