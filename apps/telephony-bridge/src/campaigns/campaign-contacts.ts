import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { contactsPerCampaignMax, Fault, type retryCampaignContacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { CampaignRecords, findSeen, noticeOf, requireOpen } from './campaign-records';
import { Campaign } from './campaign.entity';
import { contactCountOf } from './campaign.wire';
import { regionKey } from './plan/regions';
import { queueFinished } from './webhook-events';

type Retrying = z.output<typeof retryCampaignContacts.request>;
export type ContactVariables = Record<string, string | number | boolean | null>;

/** A contact to be called. */
export interface NewContact {
  /** Its id, if it is a contact of the organization. */
  readonly contactId?: number;
  readonly contactKey?: string;
  readonly name: string;
  /** E.164. */
  readonly number: string;
  /** An IANA time zone; by default that of the number. */
  readonly zone?: string;
  readonly variables: ContactVariables;
}

/** The outcome of adding contacts. */
export interface Addition {
  readonly addedCount: number;
  readonly repeatedCount: number;
  readonly contactCount: number;
  /** What has to be done before they are called. */
  readonly notice: string | null;
}

/** Why a waiting contact is no longer called. */
export const withdrawn = 'The contact was deleted.';
/** Which contacts are to be erased, and how: what remains is counted, but identifies nobody. The number must differ from all others. */
export const erasable = `is_withdrawn AND state <> 'ACTIVE' AND number NOT LIKE 'deleted-%'`;
export const erasure = `name = '', number = 'deleted-' || id, variables = '{}', result = NULL, result_reason = NULL`;
/** Events that wait for webhooks say no more of a deleted contact than those that come later. */
const eventsUnnamed = `
  UPDATE campaign_webhook_events e SET body = jsonb_set(body::jsonb, '{contact}', body::jsonb -> 'contact' || jsonb_build_object(
    'CustomerName', '', 'ContactNumber', 'deleted-' || c.id, 'variables', '{}'::jsonb, 'result', NULL, 'resultReason', NULL))::text
  FROM campaign_contacts c WHERE c.campaign_id = $1 AND c.contact_id = $2 AND c.is_withdrawn AND e.org_id = $3 AND e.campaign_id = $1
    AND body::jsonb #>> '{contact,CampaignContactKeyID}' = c.key_id::text`;
const batchSize = 2_000;
/** A limit, because a claim looks at each region; there are fewer countries and zones. */
const regionsMax = 600;
/** After determining this many regions, yields to the event loop. */
const regionsInARow = 200;

/** The contacts of a campaign. */
@Injectable()
export class CampaignContacts {
  constructor(
    private readonly tenants: TenantScope,
    private readonly records: CampaignRecords,
  ) {}

  /** Adds contacts in small transactions, so that a running campaign is not blocked. If there are too many, none is added. */
  async add(campaign: Pick<Campaign, 'id' | 'orgId' | 'keyId'>, contacts: readonly NewContact[]): Promise<Addition> {
    const { orgId, keyId } = campaign;
    const fresh = await this.fresh(campaign, contacts);
    let addedCount = 0;
    let notice: string | null = null;
    for (let at = 0; at < fresh.length; at += batchSize) {
      await this.tenants.run(orgId, async (manager) => {
        const locked = await this.records.lock(manager, orgId, keyId);
        requireOpen(locked);
        addedCount += await this.insert(manager, locked, fresh.slice(at, at + batchSize));
        notice = noticeOf(locked);
      });
    }
    const counts = await this.tenants.read(orgId, (manager) => this.records.counts(manager, campaign));
    return {
      addedCount,
      repeatedCount: contacts.length - addedCount,
      contactCount: contactCountOf(counts),
      notice: addedCount > 0 ? notice : null,
    };
  }

  /** Replaces the contacts of a locked campaign, except those already called or in a call. */
  async replace(manager: EntityManager, campaign: Campaign, contacts: readonly NewContact[]): Promise<void> {
    await manager.query(
      `DELETE FROM campaign_contacts WHERE campaign_id = $1 AND state = 'WAITING' AND tries = '[]' AND NOT number = ANY($2)`,
      [campaign.id, contacts.map(({ number }) => number)],
    );
    for (let at = 0; at < contacts.length; at += batchSize)
      await this.insert(manager, campaign, contacts.slice(at, at + batchSize));
  }

  /**
   * Requeues finished contacts for one more call, and further ones that `Retry` allows. Contacts who are on the do-not-call list, refused
   * or were deleted are not requeued.
   */
  async retry({ CampaignKeyID, outcomes }: Retrying, call: Call): Promise<z.input<typeof retryCampaignContacts.reply>> {
    const orgId = organizationOf(call);
    await this.tenants.read(orgId, (manager) => findSeen(manager, CampaignKeyID, call));
    return this.tenants.run(orgId, async (manager) => {
      const campaign = await this.records.lock(manager, orgId, CampaignKeyID);
      requireOpen(campaign);
      const rows: { count: number }[] = await manager.query(
        `WITH again AS (
           UPDATE campaign_contacts c SET state = 'WAITING', attempt = jsonb_array_length(tries) + 1, due_at = clock_timestamp(),
             is_booked = false, booked_for = NULL, cause = NULL, updated_on = now()
           WHERE campaign_id = $1 AND NOT is_withdrawn
             AND (state IN ('MISSED', 'FAILED') AND disposition = ANY($2) OR state = 'CANCELLED' AND 'CANCELLED' = ANY($2))
             AND NOT EXISTS (SELECT FROM do_not_call d WHERE d.org_id = c.org_id AND d.number = c.number)
           RETURNING id)
         SELECT count(*)::int AS count FROM again`,
        [campaign.id, outcomes],
      );
      const retriedCount = rows[0]?.count ?? 0;
      return { retriedCount, notice: retriedCount > 0 ? noticeOf(campaign) : null };
    });
  }

  /**
   * Withdraws a contact deleted from the organization, and erases what identifies it. A current call is finished, but not retried, and
   * its contact erased afterwards by the sweep of old rows. Returns in how many campaigns the contact was waiting. Idempotent.
   */
  async withdraw(orgId: number, contactId: number): Promise<number> {
    const found: { campaignId: number }[] = await this.tenants.read(orgId, (manager) =>
      manager.query(
        `SELECT DISTINCT campaign_id AS "campaignId" FROM campaign_contacts
         WHERE org_id = $1 AND contact_id = $2 AND NOT is_withdrawn ORDER BY campaign_id`,
        [orgId, contactId],
      ),
    );
    for (const { campaignId: id } of found) {
      await this.tenants.run(orgId, async (manager) => {
        const campaign = await manager.findOne(Campaign, { where: { id, orgId }, lock: { mode: 'pessimistic_write' } });
        if (!campaign) return;
        const rows: { id: number }[] = await manager.query(
          `WITH gone AS (
             UPDATE campaign_contacts SET is_withdrawn = true, updated_on = now(),
               state = CASE state WHEN 'WAITING' THEN 'CANCELLED' ELSE state END,
               cause = CASE state WHEN 'WAITING' THEN $3 ELSE cause END
             WHERE campaign_id = $1 AND contact_id = $2 AND NOT is_withdrawn RETURNING id, state, cause)
           SELECT id FROM gone WHERE state = 'CANCELLED' AND cause = $3`,
          [id, contactId, withdrawn],
        );
        await queueFinished(
          manager,
          campaign,
          rows.map((row) => row.id),
        );
        await manager.query(
          `UPDATE campaign_contacts SET ${erasure} WHERE campaign_id = $1 AND contact_id = $2 AND ${erasable}`,
          [id, contactId],
        );
        await manager.query(eventsUnnamed, [id, contactId, orgId]);
      });
    }
    return found.length;
  }

  /** The contacts that are new to the campaign, each number once. */
  private async fresh({ id, orgId }: Pick<Campaign, 'id' | 'orgId'>, contacts: readonly NewContact[]): Promise<NewContact[]> {
    const byNumber = new Map<string, NewContact>();
    for (const contact of contacts) if (!byNumber.has(contact.number)) byNumber.set(contact.number, contact);
    const [known, counts] = await this.tenants.read(orgId, async (manager) => {
      const rows: { number: string }[] = await manager.query(
        'SELECT number FROM campaign_contacts WHERE campaign_id = $1 AND number = ANY($2) AND NOT is_withdrawn',
        [id, [...byNumber.keys()]],
      );
      return [rows, await this.records.counts(manager, { id })] as const;
    });
    for (const { number } of known) byNumber.delete(number);
    requireRoom(contactCountOf(counts) + byNumber.size);
    return [...byNumber.values()];
  }

  /** Returns how many were new. A withdrawn contact that is added again is called again. */
  private async insert(manager: EntityManager, campaign: Campaign, contacts: readonly NewContact[]): Promise<number> {
    const regions = await regionsOf(contacts, campaign.timeZone);
    const added: unknown[] = await manager.query(
      `INSERT INTO campaign_contacts (org_id, campaign_id, contact_id, name, number, variables, region, contact_key)
       SELECT $1, $2, added.* FROM unnest($3::bigint[], $4::text[], $5::text[], $6::jsonb[], $7::text[], $8::uuid[]) AS added
       ON CONFLICT (campaign_id, number) DO UPDATE SET contact_id = excluded.contact_id, contact_key = excluded.contact_key, name = excluded.name,
         variables = excluded.variables, region = excluded.region, state = 'WAITING', is_withdrawn = false, cause = NULL,
         attempt = jsonb_array_length(campaign_contacts.tries) + 1, due_at = clock_timestamp(), is_booked = false, updated_on = now()
       WHERE campaign_contacts.is_withdrawn AND campaign_contacts.state <> 'ACTIVE' AND NOT EXISTS (
         SELECT FROM do_not_call d WHERE d.org_id = excluded.org_id AND d.number = excluded.number) RETURNING id`,
      [
        campaign.orgId,
        campaign.id,
        contacts.map(({ contactId }) => contactId ?? null),
        contacts.map(({ name }) => name),
        contacts.map(({ number }) => number),
        contacts.map(({ variables }) => JSON.stringify(variables)),
        regions,
        contacts.map(({ contactKey }) => contactKey ?? null),
      ],
    );
    const grown: { count: number }[] = await manager.query(
      `WITH grown AS (
         UPDATE campaigns SET regions = ARRAY(SELECT DISTINCT region FROM unnest(regions || $2::text[]) AS region ORDER BY region)
         WHERE id = $1 AND NOT regions @> $2::text[] RETURNING regions)
       SELECT cardinality(regions) AS count FROM grown`,
      [campaign.id, [...new Set(regions)]],
    );
    if (grown[0] && grown[0].count > regionsMax) throw tooManyRegions();
    requireRoom(contactCountOf(await this.records.counts(manager, campaign)));
    return added.length;
  }
}

function requireRoom(count: number): void {
  if (count <= contactsPerCampaignMax) return;
  throw new Fault('PAYLOAD_TOO_LARGE', {
    message: `A campaign may have ${contactsPerCampaignMax} contacts; this would be ${count}.`,
  });
}

function tooManyRegions(): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', {
    message: `The contacts of a campaign may be in ${regionsMax} pairs of a country and a time zone: leave out zones that the numbers imply.`,
  });
}

export async function regionsOf(contacts: readonly Pick<NewContact, 'number' | 'zone'>[], timeZone: string): Promise<string[]> {
  const regions: string[] = [];
  for (const contact of contacts) {
    regions.push(regionKey(contact, timeZone));
    if (regions.length % regionsInARow === 0) await others();
  }
  return regions;
}
