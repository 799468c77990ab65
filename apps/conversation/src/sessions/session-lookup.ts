import { Injectable } from '@nestjs/common';
import { Fault, type getHistory } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { maySee } from '../agents/agents';
import type { ReplyOf } from '../message-types';
import { isRemembered, type PastTurn } from '../turns/past-turn';
import { Session } from './session.entity';

/** Sessions as they are read. Unknown ones and those that the caller may not see are NOT_FOUND alike. */
@Injectable()
export class SessionLookup {
  constructor(private readonly tenants: TenantScope) {}

  async agentOf(orgId: number, sessionUuid: string): Promise<number> {
    const session = await this.tenants.read(orgId, (manager) => manager.findOneBy(Session, { orgId, sessionUuid }));
    if (!session) throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
    return session.agentId;
  }

  visible(sessionUUID: string, call: Call): Promise<Session> {
    return this.tenants.read(organizationOf(call), (manager) => visibleSession(manager, sessionUUID, call));
  }

  history(sessionUUID: string, call: Call): Promise<ReplyOf<typeof getHistory>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const session = await visibleSession(manager, sessionUUID, call);
      const turns = await manager.query<PastTurn[]>(remembered, [session.id, turnsShownMax]);
      const chatHistory = turns.flatMap(({ question, answer }) => [
        { sender: 'user' as const, text: question },
        ...(answer === '' ? [] : [{ sender: 'assistant' as const, text: answer }]),
      ]);
      return { sessionUUID, AgentID: session.agentId, createdAt: session.createdOn.toISOString(), chatHistory };
    });
  }
}

const turnsShownMax = 1000;

const remembered = `
  SELECT question, answer FROM turns JOIN sessions ON sessions.id = session_id
  WHERE session_id = $1 AND ${isRemembered} ORDER BY turns.id LIMIT $2`;

/** The caller's session. */
export async function visibleSession(manager: EntityManager, sessionUuid: string, call: Call): Promise<Session> {
  const session = await manager.findOneBy(Session, { orgId: organizationOf(call), sessionUuid });
  if (!session || !maySee(call.principal, session.agentId))
    throw new Fault('NOT_FOUND', { message: 'There is no such session.' });
  return session;
}
