import { Controller, Injectable, Module } from '@nestjs/common';
import { type BodyOf, listRepresentatives, listSalesUserChoices, type ReplyOf } from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, In } from 'typeorm';
import { Membership, Organization } from '../team/membership.entity';
import { ContactMapping, Representative, representativeToWire } from '../team/representatives';
import { containing, withinRange } from '../search/filters';
import { SalesCall, SalesCallsController, SalesCallsService, SalesTargetsService } from './sales-calls.service';

const mappedContacts = '(SELECT count(*) FROM contact_mappings c WHERE c.representative_id = r.id)';
const callCount = '(SELECT count(*) FROM sales_calls s WHERE s.representative_id = r.id)';
const columns = {
  CreatedOn: 'r.created_on',
  name: 'r.name',
  email: 'r.email',
  userStatus: 'r.status',
  mappedContacts,
  callCount,
  lastSeenOn: 'r.last_seen_on',
};
const choicesMax = 10_000;

/** Sales representatives with their figures. */
@Injectable()
class RepresentativesService {
  constructor(private readonly tenants: TenantScope) {}

  list(body: BodyOf<typeof listRepresentatives>, call: Call): Promise<ReplyOf<typeof listRepresentatives>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const { timezone } = await manager.findOneByOrFail(Organization, { orgId });
      const query = manager.createQueryBuilder(Representative, 'r').where('r.org_id = :orgId', { orgId });
      if (body.searchName.trim()) query.andWhere('r.search LIKE :typed', { typed: containing(body.searchName) });
      if (body.userStatus) query.andWhere('r.status = :status', { status: body.userStatus });
      withinRange(query, body, { column: 'r.created_on', timezone });
      const page = await pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
      return { ...page, rows: await withFigures(manager, page.rows) };
    });
  }

  listChoices(call: Call): Promise<ReplyOf<typeof listSalesUserChoices>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const representatives = await manager.find(Representative, {
        where: { orgId, status: In(['ACTIVE', 'INVITED']) },
        order: { name: 'ASC', id: 'ASC' },
        take: choicesMax,
      });
      return representatives.map(({ keyId, id, name }) => ({ SalesUserKeyID: keyId, SalesUserID: id, name }));
    });
  }
}

async function withFigures(manager: EntityManager, representatives: Representative[]) {
  const memberships = await manager.findBy(Membership, { id: In(representatives.map(({ membershipId }) => membershipId)) });
  const byId = new Map(memberships.map((membership) => [membership.id, membership]));
  const contacts = await countBy(manager, ContactMapping, representatives);
  const calls = await countBy(manager, SalesCall, representatives);
  return representatives.map((representative) =>
    representativeToWire(representative, {
      membership: byId.get(representative.membershipId),
      mappedContacts: contacts.get(representative.id) ?? 0,
      callCount: calls.get(representative.id) ?? 0,
    }),
  );
}

async function countBy(
  manager: EntityManager,
  entity: typeof ContactMapping | typeof SalesCall,
  representatives: Representative[],
): Promise<Map<number, number>> {
  const rows = await manager
    .createQueryBuilder<{ representativeId: number }>(entity, 'x')
    .select('x.representative_id', 'id')
    .addSelect('count(*)::int', 'count')
    .where('x.representative_id = ANY(:ids)', { ids: representatives.map(({ id }) => id) })
    .groupBy('x.representative_id')
    .getRawMany<{ id: number; count: number }>();
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Representatives over the bus. */
@Controller()
class RepresentativesController {
  constructor(private readonly representatives: RepresentativesService) {}

  @Handles(listRepresentatives)
  list(body: BodyOf<typeof listRepresentatives>, call: Call): Promise<ReplyOf<typeof listRepresentatives>> {
    return this.representatives.list(body, call);
  }

  @Handles(listSalesUserChoices)
  listChoices(_: object, call: Call): Promise<ReplyOf<typeof listSalesUserChoices>> {
    return this.representatives.listChoices(call);
  }
}

/** Sales representatives, their calls and their targets. */
@Module({
  controllers: [RepresentativesController, SalesCallsController],
  providers: [RepresentativesService, SalesCallsService, SalesTargetsService],
})
export class RepresentativesModule {}
