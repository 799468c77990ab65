import { contactsAssigned } from '@parley/contracts';
import { Injectable } from '@nestjs/common';
import { Outbox } from '@parley/database';
import type { EntityManager } from 'typeorm';
import type { PayloadOf } from '../message-types';
import type { Representative } from '../representatives/representative.entity';

type Source = PayloadOf<typeof contactsAssigned>['source'];

/** Puts contacts into the care of representatives and takes them out again, and tells the platform how many. */
@Injectable()
export class Mappings {
  constructor(private readonly outbox: Outbox) {}

  /** Answers the ids of the organization's contacts that were not mapped to this representative before. */
  async map(manager: EntityManager, representative: Representative, contactIds: number[], source: Source): Promise<number[]> {
    const rows: { contactId: number }[] = await manager.query(
      `INSERT INTO contact_mappings (org_id, representative_id, contact_id)
       SELECT $1, $2, id FROM contacts WHERE org_id = $1 AND id = ANY($3::int[])
       ON CONFLICT DO NOTHING RETURNING contact_id AS "contactId"`,
      [representative.orgId, representative.id, contactIds],
    );
    await this.tell(manager, representative, rows.length, source);
    return rows.map(({ contactId }) => contactId);
  }

  /** Answers the ids of the contacts that were mapped until now. */
  async unmap(manager: EntityManager, representative: Representative, contactIds: number[]): Promise<number[]> {
    const [rows]: [{ contactId: number }[]] = await manager.query(
      `DELETE FROM contact_mappings WHERE org_id = $1 AND representative_id = $2 AND contact_id = ANY($3::int[])
       RETURNING contact_id AS "contactId"`,
      [representative.orgId, representative.id, contactIds],
    );
    await this.tell(manager, representative, -rows.length, 'MAPPING');
    return rows.map(({ contactId }) => contactId);
  }

  private async tell(manager: EntityManager, { orgId, id, keyId }: Representative, count: number, source: Source): Promise<void> {
    if (count === 0) return;
    await this.outbox.add(manager, contactsAssigned, {
      orgId,
      payload: { SalesUserID: id, SalesUserKeyID: keyId, count, source },
    });
  }
}
