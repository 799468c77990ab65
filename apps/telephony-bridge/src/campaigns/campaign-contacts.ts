import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { contactsPerCampaignMax, Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { EntityManager } from 'typeorm';
import { CampaignRecords, requireOpen } from './campaign-records';
import type { Campaign } from './campaign.entity';
import { contactCountOf } from './campaign.wire';
import { regionKey } from './plan/regions';

export type ContactVariables = Record<string, string | number | boolean | null>;

/** Somebody who is to be called. */
export interface NewContact {
  /** That of the organization's contacts, where it is one. */
  readonly contactId?: number;
  readonly name: string;
  /** E.164. */
  readonly number: string;
  readonly variables: ContactVariables;
}

/** What became of contacts that were to be added. */
export interface Addition {
  readonly addedCount: number;
  readonly repeatedCount: number;
  readonly contactCount: number;
}

const batchSize = 2_000;
/** Telling a number's region takes time: so often everything else has its turn. */
const regionsInARow = 200;

/** Whom a campaign calls. */
@Injectable()
export class CampaignContacts {
  constructor(
    private readonly tenants: TenantScope,
    private readonly records: CampaignRecords,
  ) {}

  /** Adds contacts in transactions so small that a running campaign does not wait for them. Too many are refused before any is added. */
  async add(campaign: Pick<Campaign, 'id' | 'orgId' | 'keyId'>, contacts: readonly NewContact[]): Promise<Addition> {
    const { orgId, keyId } = campaign;
    const fresh = await this.fresh(campaign, contacts);
    const addedCount = { sum: 0 };
    for (let at = 0; at < fresh.length; at += batchSize) {
      await this.tenants.run(orgId, async (manager) => {
        const locked = await this.records.lock(manager, orgId, keyId);
        requireOpen(locked);
        addedCount.sum += await this.insert(manager, locked, fresh.slice(at, at + batchSize));
      });
    }
    const counts = await this.tenants.read(orgId, (manager) => this.records.counts(manager, campaign));
    return {
      addedCount: addedCount.sum,
      repeatedCount: contacts.length - addedCount.sum,
      contactCount: contactCountOf(counts),
    };
  }

  /** Makes these the contacts of a campaign that is locked. Whoever was called, or is being called, stays. */
  async replace(manager: EntityManager, campaign: Campaign, contacts: readonly NewContact[]): Promise<void> {
    await manager.query(
      `DELETE FROM campaign_contacts WHERE campaign_id = $1 AND state = 'WAITING' AND tries = '[]' AND NOT number = ANY($2)`,
      [campaign.id, contacts.map(({ number }) => number)],
    );
    for (let at = 0; at < contacts.length; at += batchSize)
      await this.insert(manager, campaign, contacts.slice(at, at + batchSize));
  }

  /** Those that the campaign does not have yet, each number once. */
  private async fresh({ id, orgId }: Pick<Campaign, 'id' | 'orgId'>, contacts: readonly NewContact[]): Promise<NewContact[]> {
    const byNumber = new Map<string, NewContact>();
    for (const contact of contacts) if (!byNumber.has(contact.number)) byNumber.set(contact.number, contact);
    const [known, counts] = await this.tenants.read(orgId, async (manager) => {
      const rows: { number: string }[] = await manager.query(
        'SELECT number FROM campaign_contacts WHERE campaign_id = $1 AND number = ANY($2)',
        [id, [...byNumber.keys()]],
      );
      return [rows, await this.records.counts(manager, { id })] as const;
    });
    for (const { number } of known) byNumber.delete(number);
    requireRoom(contactCountOf(counts) + byNumber.size);
    return [...byNumber.values()];
  }

  /** Answers how many are new. */
  private async insert(manager: EntityManager, campaign: Campaign, contacts: readonly NewContact[]): Promise<number> {
    const regions = await regionsOf(contacts, campaign.timeZone);
    const added: unknown[] = await manager.query(
      `INSERT INTO campaign_contacts (org_id, campaign_id, contact_id, name, number, variables, region)
       SELECT $1, $2, added.* FROM unnest($3::int[], $4::text[], $5::text[], $6::jsonb[], $7::text[]) AS added
       ON CONFLICT (campaign_id, number) DO NOTHING RETURNING id`,
      [
        campaign.orgId,
        campaign.id,
        contacts.map(({ contactId }) => contactId ?? null),
        contacts.map(({ name }) => name),
        contacts.map(({ number }) => number),
        contacts.map(({ variables }) => JSON.stringify(variables)),
        regions,
      ],
    );
    await manager.query(
      `UPDATE campaigns SET regions = ARRAY(SELECT DISTINCT region FROM unnest(regions || $2::text[]) AS region ORDER BY region)
       WHERE id = $1 AND NOT regions @> $2::text[]`,
      [campaign.id, [...new Set(regions)]],
    );
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

export async function regionsOf(contacts: readonly Pick<NewContact, 'number'>[], timeZone: string): Promise<string[]> {
  const regions: string[] = [];
  for (const { number } of contacts) {
    regions.push(regionKey({ number }, timeZone));
    if (regions.length % regionsInARow === 0) await others();
  }
  return regions;
}
