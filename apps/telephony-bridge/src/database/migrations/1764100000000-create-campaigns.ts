import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Campaigns, their contacts, and the counts of contacts by state. */
export class CreateCampaigns1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(campaigns);
    await runner.query(contacts);
    await runner.query(attempts);
    await runner.query(counts);
    for (const table of tables) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tables.toReversed().join(', ')}; DROP FUNCTION count_campaign_contacts`);
  }
}

const tables = ['campaigns', 'campaign_contacts', 'campaign_attempts', 'campaign_counts'];

const campaigns = `
  CREATE TABLE campaigns (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    name text NOT NULL,
    agent_id int NOT NULL,
    agent_key uuid NOT NULL,
    caller_number text NOT NULL,
    more_caller_numbers text[] NOT NULL,
    calling_hours jsonb NOT NULL,
    retry jsonb NOT NULL,
    calls_per_minute int NOT NULL,
    max_concurrent_calls int NOT NULL,
    -- as they were sent: a day of the organization or an instant
    start_date text,
    end_date text,
    starts_at timestamptz,
    ends_at timestamptz,
    voicemail jsonb NOT NULL,
    ring_seconds int NOT NULL,
    result_schema jsonb,
    holidays text[] NOT NULL,
    credit_budget int,
    status text NOT NULL CHECK (status IN ('DRAFT', 'RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
    status_reason text,
    -- where its contacts are, and which of its numbers the carrier does not let it use
    regions text[] NOT NULL DEFAULT '{}',
    time_zone text NOT NULL,
    refused_callers text[] NOT NULL DEFAULT '{}',
    -- when it last started or resumed, and when it was last looked at
    resumed_at timestamptz,
    looked_at timestamptz NOT NULL DEFAULT now(),
    -- it was cancelled, and contacts of it still wait
    needs_clearing boolean NOT NULL DEFAULT false,
    -- attempts that are over, by what they came to
    outcomes jsonb NOT NULL DEFAULT '{}',
    credits_spent bigint NOT NULL DEFAULT 0,
    created_on timestamptz NOT NULL DEFAULT now(),
    updated_on timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  CREATE INDEX campaigns_of_organization ON campaigns (org_id, created_on, id);
  CREATE INDEX campaigns_to_do ON campaigns (looked_at) WHERE status = 'RUNNING' OR needs_clearing`;

const contacts = `
  CREATE TABLE campaign_contacts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    campaign_id int NOT NULL REFERENCES campaigns,
    -- that of the organization's contacts, where it is one
    contact_id bigint,
    name text NOT NULL,
    number text NOT NULL,
    variables jsonb NOT NULL,
    state text NOT NULL DEFAULT 'WAITING'
      CHECK (state IN ('WAITING', 'ACTIVE', 'COMPLETED', 'MISSED', 'FAILED', 'DO_NOT_CALL', 'CANCELLED')),
    region text NOT NULL,
    -- the attempt that is planned or open; the first is 1
    attempt int NOT NULL DEFAULT 1,
    due_at timestamptz NOT NULL DEFAULT now(),
    -- the planned attempt was asked for by the contact, and when the next one is to be
    is_booked boolean NOT NULL DEFAULT false,
    booked_for timestamptz,
    bookings int NOT NULL DEFAULT 0,
    -- the attempts that are over, as the plan reads them
    tries jsonb NOT NULL DEFAULT '[]',
    disposition text,
    result jsonb,
    cause text,
    call_key uuid,
    call_id bigint,
    created_on timestamptz NOT NULL DEFAULT now(),
    updated_on timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT campaign_contacts_once UNIQUE (campaign_id, number)
  ) WITH (fillfactor = 80);
  CREATE INDEX campaign_contacts_due ON campaign_contacts (campaign_id, region, is_booked, due_at, id) WHERE state = 'WAITING';
  CREATE INDEX campaign_contacts_by_state ON campaign_contacts (campaign_id, state, id)`;

/** One row per attempt. Unique indexes enforce, whatever the code does, that a contact has one open attempt and each attempt only once. */
const attempts = `
  CREATE TABLE campaign_attempts (
    -- what the call is known by
    reference uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    campaign_id int NOT NULL REFERENCES campaigns,
    contact_id bigint NOT NULL REFERENCES campaign_contacts ON DELETE CASCADE,
    attempt int NOT NULL,
    state text NOT NULL CHECK (state IN ('CLAIMED', 'PLACED', 'UNKNOWN', 'ENDED', 'RELEASED')),
    -- whoever holds a lower fence does nothing any more
    fence int NOT NULL DEFAULT 1,
    owner text NOT NULL,
    lease_until timestamptz NOT NULL,
    claimed_at timestamptz NOT NULL,
    placed_at timestamptz,
    answered_at timestamptz,
    ended_at timestamptz,
    -- the call of our own book, and what the telephone calls it
    call_key uuid,
    call_id text,
    outcome text,
    cause text,
    credits bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
  CREATE UNIQUE INDEX campaign_attempts_one_open ON campaign_attempts (contact_id) WHERE state IN ('CLAIMED', 'PLACED', 'UNKNOWN');
  CREATE UNIQUE INDEX campaign_attempts_each_once ON campaign_attempts (contact_id, attempt) WHERE state <> 'RELEASED';
  CREATE UNIQUE INDEX campaign_attempts_of_call ON campaign_attempts (call_key) WHERE call_key IS NOT NULL;
  CREATE INDEX campaign_attempts_open ON campaign_attempts (org_id, campaign_id) WHERE state IN ('CLAIMED', 'PLACED', 'UNKNOWN');
  CREATE INDEX campaign_attempts_overdue ON campaign_attempts (lease_until) WHERE state IN ('CLAIMED', 'PLACED', 'UNKNOWN');
  CREATE INDEX campaign_attempts_placed ON campaign_attempts (campaign_id, placed_at);
  CREATE INDEX campaign_attempts_ended ON campaign_attempts (campaign_id, ended_at) WHERE state = 'ENDED'`;

/** Updated by triggers on every change of contacts, so that the counts always match the contacts. */
const counts = `
  CREATE TABLE campaign_counts (
    campaign_id int NOT NULL REFERENCES campaigns,
    org_id int NOT NULL,
    state text NOT NULL,
    contacts int NOT NULL,
    PRIMARY KEY (campaign_id, state)
  ) WITH (fillfactor = 50);

  CREATE FUNCTION count_campaign_contacts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO campaign_counts AS kept (campaign_id, org_id, state, contacts)
      SELECT campaign_id, org_id, state, count(*) FROM after_change GROUP BY campaign_id, org_id, state ORDER BY campaign_id, state
      ON CONFLICT (campaign_id, state) DO UPDATE SET contacts = kept.contacts + excluded.contacts;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO campaign_counts AS kept (campaign_id, org_id, state, contacts)
      SELECT campaign_id, org_id, state, -count(*) FROM before_change GROUP BY campaign_id, org_id, state ORDER BY campaign_id, state
      ON CONFLICT (campaign_id, state) DO UPDATE SET contacts = kept.contacts + excluded.contacts;
    ELSE
      INSERT INTO campaign_counts AS kept (campaign_id, org_id, state, contacts)
      SELECT campaign_id, org_id, state, sum(change) FROM (
        SELECT campaign_id, org_id, state, 1 AS change FROM after_change
        UNION ALL SELECT campaign_id, org_id, state, -1 FROM before_change) AS changes
      GROUP BY campaign_id, org_id, state HAVING sum(change) <> 0 ORDER BY campaign_id, state
      ON CONFLICT (campaign_id, state) DO UPDATE SET contacts = kept.contacts + excluded.contacts;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER campaign_contacts_added AFTER INSERT ON campaign_contacts REFERENCING NEW TABLE AS after_change
    FOR EACH STATEMENT EXECUTE FUNCTION count_campaign_contacts();
  CREATE TRIGGER campaign_contacts_changed AFTER UPDATE ON campaign_contacts
    REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION count_campaign_contacts();
  CREATE TRIGGER campaign_contacts_gone AFTER DELETE ON campaign_contacts REFERENCING OLD TABLE AS before_change
    FOR EACH STATEMENT EXECUTE FUNCTION count_campaign_contacts()`;
