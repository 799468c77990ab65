import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { withinRange, containing } from '../search/filters';
import { Organization } from '../organizations/organization.entity';
import { Contact } from './contact.entity';

/** What narrows a list or an export of contacts. */
export interface ContactFilters {
  readonly searchName: string;
  readonly SalesUserKeyID?: string | null | undefined;
  readonly fromDate?: string | null | undefined;
  readonly toDate?: string | null | undefined;
}

const isMapped = `EXISTS (
  SELECT FROM contact_mappings m JOIN representatives r ON r.id = m.representative_id
  WHERE m.contact_id = c.id AND r.org_id = c.org_id AND r.key_id = :representative)`;

/** The contacts of an organization that fit, under the alias `c`. */
export async function contactQuery(
  manager: EntityManager,
  orgId: number,
  filters: ContactFilters,
): Promise<SelectQueryBuilder<Contact>> {
  const { timezone } = await manager.findOneByOrFail(Organization, { orgId });
  const query = manager.createQueryBuilder(Contact, 'c').where('c.org_id = :orgId', { orgId });
  if (filters.searchName.trim()) query.andWhere('c.search LIKE :typed', { typed: containing(filters.searchName) });
  if (filters.SalesUserKeyID) query.andWhere(isMapped, { representative: filters.SalesUserKeyID });
  withinRange(query, filters, { column: 'c.created_on', timezone });
  return query;
}
