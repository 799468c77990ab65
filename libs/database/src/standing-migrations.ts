import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The outbox: events that are true once their transaction is, and wait for the broker to take them. */
class CreateOutbox1600000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id uuid NOT NULL,
        subject text NOT NULL,
        -- 0: an event of no organization
        org_id int NOT NULL,
        occurred_at timestamptz NOT NULL DEFAULT now(),
        -- json and not jsonb: it leaves as it came, and nobody looks inside
        payload json NOT NULL,
        bytes int NOT NULL,
        attempts int NOT NULL DEFAULT 0,
        retry_at timestamptz
      );
      CREATE INDEX outbox_held_back ON outbox (org_id, retry_at) WHERE retry_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox');
  }
}

/** What a consumer has done already, so that a second delivery does nothing. */
class CreateProcessedEvents1600000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE processed_events (
        event_id uuid NOT NULL,
        consumer text NOT NULL,
        processed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (event_id, consumer)
      );
      CREATE INDEX processed_events_age ON processed_events (processed_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE processed_events');
  }
}

/** Events that failed again and again while others passed: put aside, so that they hold nobody back, and kept to be read. */
class CreateDeadEvents1600000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dead_events (
        seq bigint PRIMARY KEY,
        id uuid NOT NULL,
        subject text NOT NULL,
        org_id int NOT NULL,
        occurred_at timestamptz NOT NULL,
        payload json NOT NULL,
        attempts int NOT NULL,
        reason text NOT NULL,
        died_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE dead_events');
  }
}

/** What every schema has before its service adds anything, so that no service can forget it. */
export const standingMigrations = [CreateOutbox1600000000000, CreateProcessedEvents1600000000001, CreateDeadEvents1600000000002];
