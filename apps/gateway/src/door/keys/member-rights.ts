import { Injectable } from '@nestjs/common';
import { Fault, type Principal, readMemberPrincipal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { mayAllOf } from './key-owners';
import { OpenConnections } from './open-connections';

/** Ends what a member has open here once the member may less than when it was opened. */
@Injectable()
export class MemberRights {
  constructor(
    private readonly connections: OpenConnections,
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /** Looks at the open connections of a member whose rights may have changed. Tokens carry the rights of their moment: they go. */
  async lookAgain(memberId: string, orgId: number): Promise<void> {
    await this.forgetTokens(memberId, orgId);
    if (!this.connections.credentials.some(({ principal }) => principal.memberId === memberId)) return;
    const now = await this.rightsOf(memberId, orgId);
    const hasLost = ({ principal }: { principal: Principal }) =>
      principal.memberId === memberId && !(now && mayAllOf(now, principal));
    this.connections.end(hasLost, 'the member may not do this any more');
  }

  private forgetTokens(memberId: string, orgId: number): Promise<void> {
    return this.tenants.run(orgId, async (manager) => {
      const unused = `DELETE FROM entry_tokens WHERE org_id = $1 AND used_on IS NULL AND entry->'principal'->>'memberId' = $2`;
      await manager.query(unused, [orgId, memberId]);
    });
  }

  /** Nothing for a member who is gone, and for one whose rights nobody tells: what is open may be opened again. */
  private async rightsOf(memberId: string, orgId: number): Promise<Omit<Principal, 'kind' | 'keyId'> | undefined> {
    const principal: Principal = { kind: 'system', keyId: 'gateway', orgId };
    try {
      return await this.bus.ask(readMemberPrincipal, { orgId, memberId }, { principal });
    } catch (error) {
      const isGone = error instanceof Fault && error.code === 'NOT_FOUND';
      if (!isGone) this.log.warn('The rights of a member could not be read again', { error });
      return undefined;
    }
  }
}
