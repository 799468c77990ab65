import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions and their turns. A session is also what the logs call a conversation. */
export class CreateConversation1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        session_uuid uuid NOT NULL UNIQUE,
        log_key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        agent_id int NOT NULL,
        agent_key_id uuid NOT NULL,
        agent_name text NOT NULL,
        channel text NOT NULL CHECK (channel IN ('API', 'WIDGET', 'VOICE', 'PHONE')),
        status text NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'ENDED')),
        outcome text CHECK (outcome IN ('ANSWERED', 'UNANSWERED', 'TRANSFERRED', 'ABANDONED', 'FAILED')),
        end_reason text,
        language text NOT NULL,
        variables jsonb NOT NULL DEFAULT '{}',
        summary text NOT NULL DEFAULT '',
        summarized_turn_id bigint NOT NULL DEFAULT 0,
        turn_count int NOT NULL DEFAULT 0,
        known_count int NOT NULL DEFAULT 0,
        prompt_tokens int NOT NULL DEFAULT 0,
        completion_tokens int NOT NULL DEFAULT 0,
        preview text NOT NULL DEFAULT '',
        recording_key text,
        -- The turn under way. Its lease is renewed while it is worked on, so that a dead replica holds a session for seconds only.
        busy_turn uuid,
        busy_until timestamptz,
        created_on timestamptz NOT NULL DEFAULT now(),
        active_on timestamptz NOT NULL DEFAULT now(),
        ended_on timestamptz,
        duration_seconds int NOT NULL DEFAULT 0,
        CONSTRAINT ended_says_how CHECK ((status = 'ENDED') = (ended_on IS NOT NULL AND outcome IS NOT NULL AND end_reason IS NOT NULL))
      );
      CREATE INDEX sessions_of_organization ON sessions (org_id, created_on DESC, id DESC);
      CREATE INDEX sessions_of_agent ON sessions (org_id, agent_id, created_on DESC, id DESC);
      CREATE INDEX sessions_open ON sessions (active_on) WHERE status = 'OPEN';
      CREATE INDEX sessions_busy ON sessions (busy_until) WHERE busy_until IS NOT NULL;
      CREATE TABLE turns (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        org_id int NOT NULL,
        session_id bigint NOT NULL REFERENCES sessions,
        turn_uuid uuid NOT NULL UNIQUE,
        status text NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST')),
        question text NOT NULL,
        answer text NOT NULL DEFAULT '',
        sources jsonb NOT NULL DEFAULT '[]',
        latency jsonb,
        is_from_faq boolean NOT NULL DEFAULT false,
        prompt_tokens int NOT NULL DEFAULT 0,
        completion_tokens int NOT NULL DEFAULT 0,
        audio_seconds int NOT NULL DEFAULT 0,
        asked_on timestamptz NOT NULL DEFAULT now(),
        answered_on timestamptz
      );
      CREATE INDEX turns_of_session ON turns (session_id, id)`);
    await tenantTable(runner, 'sessions');
    await tenantTable(runner, 'turns');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE turns, sessions');
  }
}
