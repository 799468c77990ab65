import type { listConversationLogs } from '@parley/contracts';
import { containing } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
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
  if (query.startDate)
    sought.andWhere(`session.created_on >= ${instantOf(query.startDate, 'start')}`, { start: query.startDate, timeZone });
  if (query.endDate) sought.andWhere(upTo(query.endDate), { end: query.endDate, timeZone });
  if (query.search.trim()) sought.andWhere(isSaid, { said: containing(query.search.trim()) });
  return sought;
}

const isSaid = `EXISTS (
  SELECT 1 FROM turns
  WHERE turns.org_id = :orgId AND turns.session_id = session.id AND turns.status <> 'DISCARDED'
    AND (turns.question ILIKE :said OR turns.answer ILIKE :said))`;

/** A bound is inclusive, and a bare date is its whole day. */
function upTo(end: string): string {
  return isDay(end) ? `session.created_on < ${instantOf(end, 'end', 1)}` : `session.created_on <= :end::timestamptz`;
}

function instantOf(bound: string, name: string, daysLater = 0): string {
  return isDay(bound) ? `((:${name}::date + ${daysLater})::timestamp AT TIME ZONE :timeZone)` : `:${name}::timestamptz`;
}

/** Whether a bound of a date range is a bare date. */
export function isDay(bound: string): boolean {
  return bound.length === 'YYYY-MM-DD'.length;
}
