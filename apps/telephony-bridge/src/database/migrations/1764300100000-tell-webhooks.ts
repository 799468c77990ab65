import { tenantTable } from '@parley/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['campaign_webhooks', 'campaign_webhook_events', 'campaign_webhook_queues'];

/** The receivers of campaign events, and their pending events. */
export class TellWebhooks1764300100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE campaign_webhooks (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_id uuid NOT NULL UNIQUE,
        org_id int NOT NULL,
        -- null for every campaign of the organization
        campaign_id int REFERENCES campaigns,
        url text NOT NULL,
        sealed text NOT NULL,
        is_active boolean NOT NULL,
        last_delivered_on timestamptz,
        -- of the last try; null where that went well
        last_failure text,
        created_on timestamptz NOT NULL DEFAULT now(),
        updated_on timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX campaign_webhooks_of_organization ON campaign_webhooks (org_id, id);

      CREATE TABLE campaign_webhook_events (
        -- in the order in which they happened, within a campaign
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        event_id uuid NOT NULL,
        org_id int NOT NULL,
        webhook_id int NOT NULL REFERENCES campaign_webhooks ON DELETE CASCADE,
        campaign_id int NOT NULL REFERENCES campaigns,
        type text NOT NULL,
        body text NOT NULL,
        tries int NOT NULL DEFAULT 0,
        last_failure text,
        give_up_at timestamptz NOT NULL,
        given_up_on timestamptz,
        created_on timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX campaign_webhook_events_waiting ON campaign_webhook_events (webhook_id, campaign_id, id) WHERE given_up_on IS NULL;
      CREATE INDEX campaign_webhook_events_of_webhook ON campaign_webhook_events (webhook_id, id);
      CREATE INDEX campaign_webhook_events_given_up ON campaign_webhook_events (given_up_on) WHERE given_up_on IS NOT NULL;

      -- one row for each campaign of which a webhook has something to be told; its events are sent one after the other
      CREATE TABLE campaign_webhook_queues (
        webhook_id int NOT NULL REFERENCES campaign_webhooks ON DELETE CASCADE,
        campaign_id int NOT NULL REFERENCES campaigns,
        org_id int NOT NULL,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- failures in a row
        failures int NOT NULL DEFAULT 0,
        -- whoever sends holds the lease; nobody else does until it is over
        lease uuid,
        lease_until timestamptz,
        PRIMARY KEY (webhook_id, campaign_id)
      );
      CREATE INDEX campaign_webhook_queues_due ON campaign_webhook_queues (due_at)`);
    for (const table of tables) await tenantTable(runner, table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tables.toReversed().join(', ')}`);
  }
}
