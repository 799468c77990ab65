import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A rebuild counts quarters and days in one statement. A transaction that sets this flag writes the days itself; for all others
 * the triggers still do.
 */
export class LetRebuildsWriteDays1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const name of figures)
      await runner.query(triggersOf(name, `WHEN (current_setting('dashboards.days', true) IS DISTINCT FROM 'counted')`));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of figures) await runner.query(triggersOf(name, ''));
  }
}

const figures = ['call', 'campaign', 'quality', 'turn', 'place', 'faq', 'session', 'hang_up', 'usage', 'sales'];

const triggers = {
  new: ['INSERT', 'NEW TABLE AS came'],
  changed: ['UPDATE', 'OLD TABLE AS gone NEW TABLE AS came'],
  gone: ['DELETE', 'OLD TABLE AS gone'],
} as const;

function triggersOf(name: string, condition: string): string {
  const made = Object.entries(triggers).map(
    ([what, [when, tables]]) => `
      CREATE OR REPLACE TRIGGER days_of_${what} AFTER ${when} ON ${name}_quarters REFERENCING ${tables}
      FOR EACH STATEMENT ${condition} EXECUTE FUNCTION keep_${name}_days();`,
  );
  return made.join('');
}
