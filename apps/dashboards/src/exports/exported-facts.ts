import type { exportedFacts } from '@parley/contracts';
import { callFacts } from '../facts/call-facts';
import type { FactTable } from '../facts/fact-table';
import { salesCallFacts } from '../facts/sales-facts';
import { sessionFacts } from '../facts/session-facts';
import { latencyColumns, turnFacts } from '../facts/turn-facts';

/** A kind of facts as a file: the names of its columns, and where each comes from. */
export interface Exported {
  readonly table: FactTable;
  /** Whether a line belongs to an agent. */
  readonly hasAgents: boolean;
  readonly columns: Readonly<Record<string, string>>;
}

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Such as `LANGUAGE_MODEL openai/gpt-4.1-mini BUSY`, one after the other. */
const failures = `(SELECT string_agg(concat_ws(' ', role, provider, kind), '; ')
  FROM jsonb_to_recordset(provider_errors) AS failed (role text, provider text, kind text))`;

/** What can be had as a file. */
export const exported: Readonly<Record<(typeof exportedFacts)[number], Exported>> = {
  calls: {
    table: callFacts,
    hasAgents: true,
    columns: {
      CallKeyID: 'call_key',
      CallID: 'call_id',
      AgentID: 'agent_id',
      CampaignID: 'campaign_id',
      ContactID: 'contact_id',
      direction: 'direction',
      state: 'state',
      sessionUUID: 'session_uuid',
      queuedAt: iso('queued_at'),
      answeredAt: iso('answered_at'),
      endedAt: iso('ended_at'),
      durationSeconds: 'duration_seconds',
      frames: 'frames',
      lateFrames: 'late_frames',
      lostFrames: 'lost_frames',
      jitterMs: 'jitter_us / 1000.0',
      isOneWay: 'is_one_way',
    },
  },
  conversations: {
    table: sessionFacts,
    hasAgents: true,
    columns: {
      sessionUUID: 'session_uuid',
      AgentID: 'agent_id',
      channel: 'channel',
      startedAt: iso('started_at'),
      reason: 'reason',
      outcome: 'outcome',
      durationSeconds: 'duration_seconds',
      turnCount: 'turn_count',
      totalTokens: 'total_tokens::float8',
    },
  },
  turns: {
    table: turnFacts,
    hasAgents: true,
    columns: {
      turnUUID: 'turn_uuid',
      sessionUUID: 'session_uuid',
      AgentID: 'agent_id',
      channel: 'channel',
      language: 'language',
      turnNumber: 'turn_number',
      status: 'status',
      askedAt: iso('asked_at'),
      isFromFaq: 'is_from_faq',
      isKnown: 'is_known',
      KBFAQID: 'faq_id',
      promptTokens: 'prompt_tokens',
      completionTokens: 'completion_tokens',
      audioSeconds: 'audio_seconds',
      ...Object.fromEntries(Object.entries(latencyColumns).map(([part, column]) => [`${part}Ms`, column])),
      providerErrors: failures,
    },
  },
  salesCalls: {
    table: salesCallFacts,
    hasAgents: false,
    columns: {
      SalesCallKeyID: 'sales_call_key',
      SalesUserID: 'representative_id',
      ContactID: 'contact_id',
      startedAt: iso('started_at'),
      durationSeconds: 'duration_seconds',
      outcome: 'outcome',
    },
  },
};
