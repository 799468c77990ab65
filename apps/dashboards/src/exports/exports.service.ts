import type { BodyOf, exportedFacts, exportFacts } from '@parley/contracts';
import { callFacts, latencyColumns, salesCallFacts, sessionFacts, turnFacts } from '../facts/facts';
import type { FactTable } from '../facts/fact-table';
import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { csvRow } from '@parley/service-kit';
import { AgentScope, type Span, Spans } from '../scope/spans';

/** With the longest possible cells, a part still fits into one message. */
const batch = 250;

interface Last {
  readonly at: string;
  readonly key: string;
}

interface ExportReading {
  readonly orgId: number;
  readonly span: Span;
  readonly agentIds: readonly number[] | undefined;
}

type Cell = string | number | boolean | null;

/** Facts as CSV files of any size, written as fast as the reader reads. */
@Injectable()
export class ExportsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  /** Each part is read in a transaction of its own, so that a slow reader does not hold one open. */
  async *export(query: BodyOf<typeof exportFacts>, call: Call): AsyncGenerator<{ csv: string }> {
    const kind = exported[query.facts];
    const agentIds = kind.hasAgents ? await this.scope.of(query.agentIds, call) : undefined;
    const reading = { orgId: organizationOf(call), span: await this.spans.of(query, call), agentIds };
    // The header goes with the first rows: until they are read, a refusal can still be a proper answer.
    let header = csvRow(Object.keys(kind.columns));
    for (let last: Last | undefined; ;) {
      const rows = await this.after(kind, reading, last);
      yield { csv: header + rows.map(({ cells }) => csvRow(cells)).join('') };
      last = rows.at(-1);
      if (rows.length < batch || !last) return;
      header = '';
    }
  }

  private after({ table, columns, hasAgents }: Exported, { orgId, span, agentIds }: ExportReading, last: Last | undefined) {
    const text = `
      SELECT ${table.at}::text AS at, ${table.key} AS key, json_build_array(${Object.values(columns).join(', ')}) AS cells FROM ${table.name}
      WHERE org_id = $1 AND (${table.at}, ${table.key}) > ($2::timestamptz, $3::uuid) AND ${table.at} >= $4 AND ${table.at} < $5
        ${hasAgents ? 'AND ($6::int[] IS NULL OR agent_id = ANY($6))' : 'AND $6::int[] IS NULL'}
      ORDER BY ${table.at}, ${table.key} LIMIT ${batch}`;
    const { at, key } = last ?? { at: '-infinity', key: '00000000-0000-0000-0000-000000000000' };
    const values = [orgId, at, key, last ? at : span.from, span.to, agentIds ?? null];
    return this.tenants.read(orgId, (manager) => manager.query<(Last & { cells: Cell[] })[]>(text, values));
  }
}

/** A kind of facts as a file: its column names, and the SQL expression for each. */
interface Exported {
  readonly table: FactTable;
  /** Whether each row belongs to an agent. */
  readonly hasAgents: boolean;
  readonly columns: Readonly<Record<string, string>>;
}

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A list such as `LANGUAGE_MODEL openai/gpt-4.1-mini BUSY; …`. */
const failures = `(SELECT string_agg(concat_ws(' ', role, provider, kind), '; ')
  FROM jsonb_to_recordset(provider_errors) AS failed (role text, provider text, kind text))`;

/** What can be exported. */
const exported: Readonly<Record<(typeof exportedFacts)[number], Exported>> = {
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
      isUnheard: 'is_unheard',
      heardSeconds: 'heard_seconds',
      spokenSeconds: 'spoken_seconds',
      providerErrors: failures,
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
