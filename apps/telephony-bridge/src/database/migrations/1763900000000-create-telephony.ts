import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Carrier accounts, numbers, calls, and the slots that live calls hold. */
export class CreateTelephony1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(accounts);
    await runner.query(calls);
    await runner.query(live);
    for (const table of tables) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tables.toReversed().join(', ')}`);
  }
}

const tables = [
  'carrier_accounts',
  'numbers',
  'calls',
  'call_slots',
  'media_tokens',
  'call_legs',
  'seen_requests',
  'live_changes',
];

const accounts = `
  CREATE TABLE carrier_accounts (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    carrier text NOT NULL,
    name text NOT NULL,
    -- emptied when the account is deleted; the row stays for the records of its calls
    sealed text NOT NULL,
    field_names text[] NOT NULL,
    last_tested_on timestamptz,
    is_working boolean,
    created_on timestamptz NOT NULL DEFAULT now(),
    updated_on timestamptz NOT NULL DEFAULT now(),
    deleted_on timestamptz
  );
  CREATE INDEX carrier_accounts_of_organization ON carrier_accounts (org_id, id) WHERE deleted_on IS NULL;

  CREATE TABLE numbers (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    account_id int NOT NULL REFERENCES carrier_accounts,
    number text NOT NULL,
    label text NOT NULL,
    agent_id int NOT NULL,
    agent_key uuid NOT NULL,
    is_default boolean NOT NULL,
    created_on timestamptz NOT NULL DEFAULT now(),
    updated_on timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT numbers_once UNIQUE (account_id, number)
  );
  CREATE UNIQUE INDEX numbers_one_default ON numbers (account_id) WHERE is_default;
  CREATE INDEX numbers_of_organization ON numbers (org_id, id)`;

const calls = `
  CREATE TABLE calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    org_id int NOT NULL,
    account_id int NOT NULL REFERENCES carrier_accounts,
    carrier text NOT NULL,
    carrier_call_id text,
    -- the last notice of the carrier that was heeded, where it counts them
    carrier_order bigint,
    direction text NOT NULL CHECK (direction IN ('INBOUND', 'OUTBOUND')),
    state text NOT NULL CHECK (state IN ('QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED')),
    outcome text,
    agent_id int NOT NULL,
    agent_key uuid NOT NULL,
    agent_name text NOT NULL,
    campaign_id int,
    contact_id bigint,
    from_address text NOT NULL,
    to_address text NOT NULL,
    transferred_to text,
    -- what the carrier is to be told when it asks what to do after the media ended
    transfer_plan jsonb,
    cause text,
    cause_code text,
    remarks text[] NOT NULL DEFAULT '{}',
    wishes jsonb NOT NULL,
    reference uuid NOT NULL,
    queued_at timestamptz NOT NULL,
    ringing_at timestamptz,
    answered_at timestamptz,
    ended_at timestamptz,
    duration_seconds int NOT NULL DEFAULT 0,
    session_uuid uuid,
    turn_count int NOT NULL DEFAULT 0,
    used jsonb NOT NULL DEFAULT '{}',
    latency jsonb,
    recording_key text,
    change bigint NOT NULL,
    updated_on timestamptz NOT NULL,
    CONSTRAINT calls_one_attempt UNIQUE (org_id, reference),
    CONSTRAINT calls_end CHECK ((ended_at IS NULL) = (state IN ('QUEUED', 'RINGING', 'IN_PROGRESS')))
  );
  CREATE INDEX calls_by_time ON calls (org_id, queued_at, id);
  CREATE INDEX calls_by_change ON calls (org_id, change);
  CREATE INDEX calls_waiting ON calls (queued_at) WHERE state = 'QUEUED';
  CREATE INDEX calls_open ON calls (id) WHERE state IN ('RINGING', 'IN_PROGRESS');
  CREATE UNIQUE INDEX calls_of_carrier ON calls (account_id, carrier_call_id) WHERE carrier_call_id IS NOT NULL`;

const live = `
  CREATE TABLE call_slots (
    call_id bigint PRIMARY KEY REFERENCES calls,
    org_id int NOT NULL,
    agent_id int NOT NULL,
    -- the replica that holds the call, and until when it is believed to live
    owner uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    -- a call that is being closed for a replica that died is not live any more
    is_live boolean NOT NULL DEFAULT true
  ) WITH (fillfactor = 50);
  CREATE INDEX call_slots_of_organization ON call_slots (org_id);

  CREATE TABLE media_tokens (
    hash text PRIMARY KEY,
    org_id int NOT NULL,
    call_id bigint NOT NULL,
    -- of a person whom the call is to be given to, where it is not of the call itself
    leg uuid,
    expires_at timestamptz NOT NULL
  );

  -- people who are called so that a call can be given to them
  CREATE TABLE call_legs (
    reference uuid PRIMARY KEY,
    org_id int NOT NULL,
    account_id int NOT NULL REFERENCES carrier_accounts,
    call_id bigint NOT NULL REFERENCES calls,
    carrier_call_id text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX call_legs_of_carrier ON call_legs (account_id, carrier_call_id) WHERE carrier_call_id IS NOT NULL;

  CREATE TABLE seen_requests (
    org_id int NOT NULL,
    account_id int NOT NULL,
    once_key text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, once_key)
  );

  CREATE TABLE live_changes (
    org_id int PRIMARY KEY,
    change bigint NOT NULL
  ) WITH (fillfactor = 50)`;
