import { Injectable } from '@nestjs/common';
import { findMembers } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { KnowledgeBases } from '../knowledge/knowledge-bases';
import { invalidFields } from '../refusals/invalid-fields';
import type { SaveAgentBody } from './agent.wire';

/** What an agent refers to in other services. They are asked before a transaction, so that no lock waits for them. */
@Injectable()
export class References {
  constructor(
    private readonly knowledgeBases: KnowledgeBases,
    private readonly bus: ServiceBus,
  ) {}

  /** Refuses a knowledge base or a member that the organization does not have. */
  async require(orgId: number, { KBID, AdminID }: SaveAgentBody): Promise<void> {
    if (KBID) await this.knowledgeBases.link(orgId, KBID);
    if (AdminID) await this.requireMember(AdminID);
  }

  /** Asked as the caller: somebody of another organization is as unknown as nobody. */
  private async requireMember(userID: number): Promise<void> {
    const { userIDs } = await this.bus.ask(findMembers, { userIDs: [userID] });
    if (userIDs.includes(userID)) return;
    throw invalidFields([{ field: 'AdminID', message: `AdminID ${userID} is the userID of no member` }]);
  }
}
