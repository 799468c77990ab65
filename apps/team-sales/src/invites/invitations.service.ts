import { Injectable } from '@nestjs/common';
import { Fault, type getInvite, type listInvites } from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { containing } from '../search/filters';
import { Membership } from '../team/membership.entity';
import { inviteStateSql, inviteToWire } from './invite.wire';

const columns = {
  CreatedOn: 'm.created_on',
  email: 'm.email',
  status: inviteStateSql,
  roleTypeID: 'm.role_type_id',
  expiresAt: 'm.expires_at',
};

/** Invitations and, with them, everybody in the team. */
@Injectable()
export class InvitationsService {
  constructor(private readonly tenants: TenantScope) {}

  async list(body: BodyOf<typeof listInvites>, call: Call): Promise<ReplyOf<typeof listInvites>> {
    const orgId = organizationOf(call);
    const page = await this.tenants.read(orgId, (manager) => {
      const query = manager.createQueryBuilder(Membership, 'm').where('m.org_id = :orgId', { orgId });
      if (body.searchName.trim()) query.andWhere('m.search LIKE :typed', { typed: containing(body.searchName) });
      if (body.status !== 'ALL') query.andWhere(`${inviteStateSql} = :status`, { status: body.status });
      if (body.roleTypeID) query.andWhere('m.role_type_id = :role', { role: body.roleTypeID });
      return pageOf(query, body, { by: columns[body.sortColumn], nulls: 'NULLS LAST' });
    });
    return { ...page, rows: page.rows.map(inviteToWire) };
  }

  async get({ TeamInviteKeyID }: BodyOf<typeof getInvite>, call: Call): Promise<ReplyOf<typeof getInvite>> {
    const orgId = organizationOf(call);
    const membership = await this.tenants.read(orgId, (manager) =>
      manager.findOneBy(Membership, { orgId, inviteKeyId: TeamInviteKeyID }),
    );
    if (!membership) throw new Fault('NOT_FOUND');
    return inviteToWire(membership);
  }
}
