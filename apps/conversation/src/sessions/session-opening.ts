import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, type openSession } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { Agents } from '../agents/agents';
import type { BodyOf, ReplyOf } from '../message-types';
import { Session } from './session.entity';
import { visibleSession } from './session-lookup';

/** Makes sessions that have no turn yet, or finds the one to go on with. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly tenants: TenantScope,
    private readonly agents: Agents,
  ) {}

  async open(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    return body.sessionUUID ? this.continued(body.sessionUUID, body, call) : this.created(body, call);
  }

  private async continued(
    sessionUUID: string,
    { AgentKeyID }: BodyOf<typeof openSession>,
    call: Call,
  ): Promise<ReplyOf<typeof openSession>> {
    const session = await this.tenants.read(organizationOf(call), (manager) => visibleSession(manager, sessionUUID, call));
    const isMeant = !AgentKeyID || AgentKeyID === session.agentKeyId;
    if (!isMeant) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
    const { agentId: AgentID, agentKeyId, turnCount } = session;
    return { sessionUUID, AgentID, AgentKeyID: agentKeyId, isNew: turnCount === 0 };
  }

  private async created(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    const { AgentID, AgentKeyID, AgentName, language } = await this.agents.addressed(call, body);
    const orgId = organizationOf(call);
    const sessionUuid = randomUUID();
    const named = { agentId: AgentID, agentKeyId: AgentKeyID, agentName: AgentName };
    const spoken = { channel: body.channel, language: body.language ?? language, variables: body.variables ?? {} };
    await this.tenants.run(orgId, (manager) => manager.insert(Session, { orgId, sessionUuid, ...named, ...spoken }));
    return { sessionUUID: sessionUuid, AgentID, AgentKeyID, isNew: true };
  }
}
