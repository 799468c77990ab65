import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  createOrganization,
  Fault,
  listEveryOrganization,
  listMyOrganizations,
  ownerRole,
  type ReplyOf,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf, requireOperator } from '@parley/messaging';
import { type EntityManager, In, MoreThan } from 'typeorm';
import { roleName } from '../roles/granting';
import { searchable } from '../search/filters';
import { memberOf, userWithEmail } from '../team/membership-rules';
import { Membership, Organization } from '../team/membership.entity';

type NewOrganization = BodyOf<typeof createOrganization>;
type CreatedOrganization = ReplyOf<typeof createOrganization>;

/** Tenants, and which of them a user belongs to. */
@Injectable()
export class OrganizationsService {
  constructor(private readonly tenants: TenantScope) {}

  /** A repetition with the same `OrgKeyID` returns the ids of the first time and changes nothing. */
  create(wanted: NewOrganization): Promise<CreatedOrganization> {
    return this.tenants.acrossTenants('the organization has no id before this', async (manager) => {
      const isNew = await insertOrganization(manager, wanted);
      const organization = await manager.findOneByOrFail(Organization, { keyId: wanted.OrgKeyID });
      if (isNew) await insertOwner(manager, organization.orgId, wanted.owner);
      const owner = await manager.findOneOrFail(Membership, { where: { orgId: organization.orgId }, order: { id: 'ASC' } });
      if (!owner.memberKeyId || !owner.userId) throw new Fault('INTERNAL', { cause: new Error('the first member is no member') });
      return { OrgKeyID: organization.keyId, OrgID: organization.orgId, memberAdminID: owner.memberKeyId, userID: owner.userId };
    });
  }

  /** Tenants ordered by number, for the operator. */
  async listEvery({ afterOrgID, count }: BodyOf<typeof listEveryOrganization>): Promise<ReplyOf<typeof listEveryOrganization>> {
    return this.tenants.acrossTenants('the operator looks after every organization', async (manager) => {
      const found = await manager.find(Organization, {
        where: { orgId: MoreThan(afterOrgID) },
        order: { orgId: 'ASC' },
        take: count,
      });
      const owners = await manager
        .createQueryBuilder(Membership, 'member')
        .distinctOn(['member.org_id'])
        .where(`member.org_id = ANY (:orgIds) AND member.status = 'ACCEPTED'`, { orgIds: found.map(({ orgId }) => orgId) })
        .orderBy('member.org_id')
        .addOrderBy('member.id')
        .getMany();
      const ownerOf = new Map(owners.map(({ orgId, memberKeyId }) => [orgId, memberKeyId]));
      return found.map(({ keyId, orgId, name, timezone }) => {
        return { OrgKeyID: keyId, OrgID: orgId, OrganizationName: name, timezone, memberAdminID: ownerOf.get(orgId) ?? null };
      });
    });
  }

  async listOfCaller(call: Call): Promise<ReplyOf<typeof listMyOrganizations>> {
    const currentOrgId = organizationOf(call);
    const { userId, provesAddress } = await this.tenants.read(currentOrgId, (manager) => memberOf(manager, call));
    // If the user's address is not proven, memberships in other organizations are not shown.
    const where = { userId, status: 'ACCEPTED' as const, ...(!provesAddress && { orgId: currentOrgId }) };
    return this.tenants.acrossTenants('a person belongs to several organizations', async (manager) => {
      const memberships = await manager.findBy(Membership, where);
      const organizations = await manager.findBy(Organization, { orgId: In(memberships.map(({ orgId }) => orgId)) });
      return organizations
        .toSorted((one, other) => one.orgId - other.orgId)
        .flatMap((organization) =>
          memberships
            .filter(({ orgId }) => orgId === organization.orgId)
            .map((membership) => toWire(organization, membership, currentOrgId)),
        );
    });
  }
}

function toWire(organization: Organization, { roleTypeId, memberKeyId }: Membership, currentOrgId: number) {
  return {
    OrgKeyID: organization.keyId,
    OrgID: organization.orgId,
    OrganizationName: organization.name,
    timezone: organization.timezone,
    roleTypeID: roleTypeId,
    roleName: roleName(roleTypeId),
    memberAdminID: memberKeyId ?? '',
    isCurrent: organization.orgId === currentOrgId,
  };
}

async function insertOrganization(manager: EntityManager, wanted: NewOrganization): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO organizations (key_id, name, timezone, default_region) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key_id) DO NOTHING RETURNING org_id`,
    [wanted.OrgKeyID, wanted.OrganizationName, wanted.timezone, wanted.defaultRegion],
  );
  return rows.length > 0;
}

/** The first Owner is listed with an accepted invitation, like every other member. */
async function insertOwner(manager: EntityManager, orgId: number, owner: NewOrganization['owner']): Promise<void> {
  const user = await userWithEmail(manager, owner);
  const now = new Date();
  await manager.insert(Membership, {
    orgId,
    email: user.email,
    search: searchable(user.email, user.name),
    status: 'ACCEPTED',
    roleTypeId: ownerRole,
    userType: 'Web',
    agentAccessScope: 'ALL',
    invitedBy: user.email,
    expiresAt: now,
    acceptedOn: now,
    provesAddress: true,
    memberKeyId: randomUUID(),
    userId: user.id,
  });
}

/** Tenants over the bus. */
@Controller()
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Handles(createOrganization)
  create(wanted: BodyOf<typeof createOrganization>): Promise<ReplyOf<typeof createOrganization>> {
    return this.organizations.create(wanted);
  }

  @Handles(listEveryOrganization)
  listEvery(from: BodyOf<typeof listEveryOrganization>, call: Call): Promise<ReplyOf<typeof listEveryOrganization>> {
    requireOperator(call);
    return this.organizations.listEvery(from);
  }

  @Handles(listMyOrganizations)
  listMine(_: object, call: Call): Promise<ReplyOf<typeof listMyOrganizations>> {
    return this.organizations.listOfCaller(call);
  }
}
