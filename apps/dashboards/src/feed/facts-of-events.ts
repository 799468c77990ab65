import type {
  callStateChanged,
  contactsAssigned,
  conversationEnded,
  EventContract,
  salesCallLogged,
  TurnFact,
  usageRecorded,
} from '@parley/contracts';
import { maskedQuestion } from '@parley/language';
import type { EventMeta } from '@parley/messaging';
import type { z } from 'zod';
import type { NewFact } from '../facts/fact-table';
import { latencyColumns, noAgent } from '../facts/facts';

type Of<Contract> = Contract extends EventContract<infer Payload> ? z.output<Payload> : never;

const ranks = { QUEUED: 0, RINGING: 1, IN_PROGRESS: 2, COMPLETED: 3, MISSED: 3, FAILED: 3, CANCELLED: 3 } as const;

/**
 * Instants as this platform's services write them need no parsing: with two instants each, thousands of events a second made that
 * noticeable.
 */
const isWritten = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The instant in a form whose text order is its time order. */
const instant = (at: string): string => (isWritten.test(at) ? at : new Date(at).toISOString());

function reportOf({ id, orgId, occurredAt }: EventMeta): Pick<NewFact, 'org_id' | 'rank' | 'told_at' | 'told_by'> {
  if (orgId === null) throw new TypeError('this event belongs to an organization');
  return { org_id: orgId, rank: 0, told_at: instant(occurredAt), told_by: id };
}

/** A call: its outcome overrides its state, and of two outcomes the later report counts. */
export function callFactOf(call: Of<typeof callStateChanged>, event: EventMeta): NewFact {
  const { quality } = call;
  return {
    ...reportOf(event),
    rank: ranks[call.state],
    call_key: call.CallKeyID,
    queued_at: instant(call.queuedAt),
    call_id: call.CallID,
    agent_id: call.AgentID,
    campaign_id: call.CampaignID,
    campaign_contact_id: call.CampaignContactID,
    contact_id: call.ContactID,
    direction: call.direction,
    state: call.state,
    is_machine: call.outcome === 'VOICEMAIL',
    session_uuid: call.sessionUUID,
    answered_at: call.answeredAt,
    ended_at: call.endedAt,
    duration_seconds: call.durationSeconds,
    frames: quality?.frames ?? null,
    late_frames: quality?.lateFrames ?? null,
    jitter_us: quality ? Math.round(quality.jitterMs * 1000) : null,
    is_one_way: quality?.isOneWay ?? null,
    lost_frames: quality?.lostFrames ?? null,
  };
}

export function sessionFactOf(session: Of<typeof conversationEnded>, event: EventMeta): NewFact {
  return {
    ...reportOf(event),
    session_uuid: session.sessionUUID,
    started_at: instant(session.startedAt),
    agent_id: session.AgentID,
    channel: session.channel,
    reason: session.reason,
    outcome: session.outcome,
    duration_seconds: session.durationSeconds,
    turn_count: session.turnCount,
    total_tokens: session.totalTokens,
    is_unheard: session.isUnheard,
    heard_seconds: session.heardSeconds,
    spoken_seconds: session.spokenSeconds,
    provider_errors: session.providerErrors.length > 0 ? session.providerErrors : null,
  };
}

export function usageFactOf({ AgentID, kind, requests, units }: Of<typeof usageRecorded>, event: EventMeta): NewFact {
  const report = reportOf(event);
  return { ...report, event_id: event.id, charged_at: report.told_at, agent_id: AgentID ?? noAgent, kind, requests, units };
}

export function salesCallFactOf(call: Of<typeof salesCallLogged>, event: EventMeta): NewFact {
  return {
    ...reportOf(event),
    sales_call_key: call.SalesCallKeyID,
    started_at: instant(call.startedAt),
    representative_id: call.SalesUserID,
    contact_id: call.ContactID,
    duration_seconds: call.durationSeconds,
    outcome: call.outcome,
  };
}

export function assignmentFactOf({ SalesUserID, count }: Of<typeof contactsAssigned>, event: EventMeta): NewFact {
  const report = reportOf(event);
  return {
    ...report,
    event_id: event.id,
    assigned_at: report.told_at,
    representative_id: SalesUserID,
    contacts: count,
  };
}

/** A turn as last read: of two readings the later counts. */
export function turnFactOf(turn: TurnFact, readAt: string): NewFact {
  const latency: Readonly<Record<string, number | null | undefined>> = turn.latency ?? {};
  const waits = waitColumns.map(([part, column]) => [column, latency[part] ?? null] as const);
  return {
    org_id: turn.orgId,
    rank: 0,
    told_at: readAt,
    told_by: turn.turnUUID,
    turn_uuid: turn.turnUUID,
    asked_at: instant(turn.askedAt),
    session_uuid: turn.sessionUUID,
    agent_id: turn.AgentID,
    channel: turn.channel,
    language: turn.language,
    turn_number: turn.turnNumber,
    status: turn.status,
    is_from_faq: turn.isFromFaq,
    is_known: turn.isKnown,
    faq_id: turn.faq?.KBFAQID ?? null,
    faq_title: turn.faq?.Question ?? null,
    question: turn.question === null ? null : maskedQuestion(turn.question),
    prompt_tokens: turn.promptTokens,
    completion_tokens: turn.completionTokens,
    audio_seconds: turn.audioSeconds,
    provider_errors: turn.providerErrors.length > 0 ? turn.providerErrors : null,
    ...Object.fromEntries(waits),
  };
}

const waitColumns = Object.entries(latencyColumns).map(([part, column]) => [`${part}Ms`, column] as const);
