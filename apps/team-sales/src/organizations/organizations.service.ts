import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  createOrganization,
  deleteOrganization,
  Fault,
  findDeletedOrganization,
  listEveryOrganization,
  listMyOrganizations,
  organizationDeleted,
  ownerRole,
  removalInTeamSales,
  type ReplyOf,
} from '@parley/contracts';
import { noteDeleted, Outbox, TenantScope } from '@parley/database';
import { type Call, Consumes, Handles, organizationOf, requireOperator } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { deleteFolder, OrganizationRemoval } from '@parley/service-kit';
import { type EntityManager, In, MoreThan } from 'typeorm';
import { z } from 'zod';
import { roleName } from '../roles/granting';
import { searchable } from '../search/filters';
import { memberOf, userWithEmail } from '../team/membership-rules';
import { Membership, Organization } from '../team/membership.entity';

type NewOrganization = BodyOf<typeof createOrganization>;
type CreatedOrganization = ReplyOf<typeof createOrganization>;

/** Tenants, and which of them a user belongs to. */
@Injectable()
export class OrganizationsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

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

  /**
   * Begins the deletion, which every service learns by the event. Repeated, it tells them again. The name stays with the number, to
   * say what was deleted.
   */
  delete({ OrgID, OrganizationName, operator }: BodyOf<typeof deleteOrganization>): Promise<ReplyOf<typeof deleteOrganization>> {
    return this.tenants.acrossTenants('an organization is deleted as a whole', async (manager) => {
      const found = await manager.findOne(Organization, { where: { orgId: OrgID }, lock: { mode: 'pessimistic_write' } });
      const name = found?.name ?? (await deletedIn(manager, OrgID))?.OrganizationName;
      if (name === undefined)
        throw new Fault('NOT_FOUND', { message: `There is no organization ${OrgID}: see organization list.` });
      if (name !== OrganizationName)
        throw new Fault('CONFLICT', {
          message: `Organization ${OrgID} is not named “${OrganizationName}”: nothing was deleted.`,
        });
      await noteDeleted(manager, OrgID, { OrganizationName: name });
      await this.outbox.add(manager, organizationDeleted, { orgId: null, payload: { OrgID, OrganizationName: name, operator } });
      const deleted = await deletedIn(manager, OrgID);
      return { OrgID, OrganizationName: name, deletedOn: (deleted?.deletedOn ?? new Date()).toISOString() };
    });
  }

  async findDeleted(orgId: number): Promise<ReplyOf<typeof findDeletedOrganization>> {
    const found = await this.tenants.acrossTenants('a deleted organization has no members', (manager) =>
      deletedIn(manager, orgId),
    );
    return { OrganizationName: found?.OrganizationName ?? null };
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

const Deleted = z.object({ OrganizationName: z.string(), deletedOn: z.date() });

/** What is known of a deleted organization. */
async function deletedIn(manager: EntityManager, orgId: number): Promise<z.output<typeof Deleted> | undefined> {
  const [row] = await manager.query<unknown[]>(
    `SELECT record->>'OrganizationName' AS "OrganizationName", learned_on AS "deletedOn" FROM deleted_organizations WHERE org_id = $1`,
    [orgId],
  );
  return row === undefined ? undefined : Deleted.parse(row);
}

function toWire(organization: Organization, { roleTypeId, memberKeyId }: Membership, currentOrgId: number) {
  return {
    OrgKeyID: organization.keyId,
    OrgID: organization.orgId,
    OrganizationName: organization.name,
    timezone: organization.timezone,
    defaultRegion: organization.defaultRegion,
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

  @Handles(deleteOrganization)
  delete(wanted: BodyOf<typeof deleteOrganization>, call: Call): Promise<ReplyOf<typeof deleteOrganization>> {
    requireOperator(call);
    return this.organizations.delete(wanted);
  }

  @Handles(findDeletedOrganization)
  findDeleted({ OrgID }: BodyOf<typeof findDeletedOrganization>, call: Call): Promise<ReplyOf<typeof findDeletedOrganization>> {
    requireOperator(call);
    return this.organizations.findDeleted(OrgID);
  }

  @Handles(listMyOrganizations)
  listMine(_: object, call: Call): Promise<ReplyOf<typeof listMyOrganizations>> {
    return this.organizations.listOfCaller(call);
  }
}

const UserIds = z.object({ users: z.array(z.int()).default([]) }).transform(({ users }) => users);

/** Erases the members of deleted organizations, and those people who belong to no other one. */
@Controller()
export class MemberRemovalController {
  constructor(
    private readonly removal: OrganizationRemoval,
    private readonly tenants: TenantScope,
    files: FileStore,
  ) {
    removal.with({
      eraseOutside: async ({ orgId, doneOn }) => {
        if (!doneOn) await removal.keep(orgId, { users: await this.usersOf(orgId) });
        await deleteFolder(files, `contacts/${orgId}`);
      },
      finish: ({ orgId }) => this.forgetUsers(orgId),
    });
  }

  @Handles(removalInTeamSales)
  tell(asked: BodyOf<typeof removalInTeamSales>, call: Call): Promise<ReplyOf<typeof removalInTeamSales>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted, { OrganizationName: deleted.OrganizationName });
  }

  private async usersOf(orgId: number): Promise<number[]> {
    const members = await this.tenants.read(orgId, (manager) => manager.findBy(Membership, { orgId }));
    return members.flatMap(({ userId }) => userId ?? []);
  }

  private async forgetUsers(orgId: number): Promise<void> {
    const users = await this.removal.kept(orgId, UserIds);
    await this.tenants.acrossTenants('a person may belong to several organizations', (manager) =>
      manager.query(
        'DELETE FROM users WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM memberships WHERE memberships.user_id = users.id)',
        [users],
      ),
    );
    await this.removal.forget(orgId, 'users');
  }
}
