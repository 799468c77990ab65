import { Controller } from '@nestjs/common';
import { deviceHash, effectivePermissions, readMemberPrincipal, readMyAccess } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { Organization } from './organization.entity';
import { roleName } from '../roles/granting';
import { findMember, memberOf } from './membership-rules';

/** What a member may do: for the gateway, and for members themselves. */
@Controller()
export class AccessController {
  constructor(private readonly tenants: TenantScope) {}

  @Handles(readMemberPrincipal)
  async readPrincipal({ orgId, memberId }: BodyOf<typeof readMemberPrincipal>): Promise<ReplyOf<typeof readMemberPrincipal>> {
    const member = await this.tenants.read(orgId, (manager) => findMember(manager, { orgId, memberId }));
    return {
      orgId,
      memberId: member.memberKeyId,
      userId: member.userId,
      roleTypeId: member.roleTypeId,
      permissions: effectivePermissions(member.roleTypeId, member.permissions),
      ...(member.userType === 'Mobile App' && member.imei !== null && { device: deviceHash(member.imei) }),
      ...(member.agentAccessScope === 'RESTRICTED' && { agentIds: member.agentIds }),
    };
  }

  @Handles(readMyAccess)
  async readMine(_: object, call: Call): Promise<ReplyOf<typeof readMyAccess>> {
    const orgId = organizationOf(call);
    const { member, organization } = await this.tenants.read(orgId, async (manager) => ({
      member: await memberOf(manager, call),
      organization: await manager.findOneByOrFail(Organization, { orgId }),
    }));
    return {
      memberAdminID: member.memberKeyId,
      userID: member.userId,
      email: member.email,
      OrgKeyID: organization.keyId,
      OrgID: orgId,
      roleTypeID: member.roleTypeId,
      roleName: roleName(member.roleTypeId),
      userType: member.userType,
      agentAccessScope: member.agentAccessScope,
      agentIds: member.agentIds,
      permissions: effectivePermissions(member.roleTypeId, member.permissions),
    };
  }
}
