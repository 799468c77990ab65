import type { listConversationLogs } from '@parley/contracts';
import { containing } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { BodyOf } from '../message-types';
import { Session } from '../sessions/session.entity';

type Query = BodyOf<typeof listConversationLogs>;

/** The conversations that a query means and its caller may see. */
export function soughtLogs(
  manager: EntityManager,
  query: Query,
  { call, timeZone }: { call: Call; timeZone: string },
): SelectQueryBuilder<Session> {
  const { agentIds } = call.principal ?? {};
  const sought = manager.createQueryBuilder(Session, 'session').where('session.org_id = :orgId', { orgId: organizationOf(call) });
  if (agentIds) sought.andWhere('session.agent_id = ANY(:agentIds)', { agentIds });
  if (query.AgentID) sought.andWhere('session.agent_id = :agentId', { agentId: query.AgentID });
  if (query.AgentKeyID) sought.andWhere('session.agent_key_id = :agentKeyId', { agentKeyId: query.AgentKeyID });
  if (query.channel) sought.andWhere('session.channel = :channel', { channel: query.channel });
  if (query.outcome) sought.andWhere('session.outcome = :outcome', { outcome: query.outcome });
  if (query.startDate) sought.andWhere('session.created_on >= :from', { from: firstInstant(query.startDate, timeZone) });
  if (query.endDate) sought.andWhere('session.created_on < :until', { until: firstInstantAfter(query.endDate, timeZone) });
  if (query.search.trim()) sought.andWhere(isSaid, { said: containing(query.search.trim()) });
  return sought;
}

const isSaid = `EXISTS (
  SELECT 1 FROM turns
  WHERE turns.org_id = :orgId AND turns.session_id = session.id AND turns.status <> 'DISCARDED'
    AND (turns.question ILIKE :said OR turns.answer ILIKE :said))`;
