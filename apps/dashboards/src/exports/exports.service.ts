import { Injectable } from '@nestjs/common';
import type { exportFacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { AgentScope } from '../figures/agent-scope';
import { type Span, Spans } from '../figures/spans';
import type { BodyOf } from '../message-types';
import { csvLine } from './csv';
import { type Exported, exported } from './exported-facts';

/** With the longest cells, a part stays below what one message takes. */
const batch = 250;

interface Last {
  readonly at: string;
  readonly key: string;
}

interface Reading {
  readonly orgId: number;
  readonly span: Span;
  readonly agentIds: readonly number[] | undefined;
}

type Cell = string | number | boolean | null;

/** Facts as files for spreadsheets, of any size, at the reader's pace. */
@Injectable()
export class ExportsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly spans: Spans,
    private readonly scope: AgentScope,
  ) {}

  /** Each part is read in a transaction of its own, so that a slow reader holds none open. */
  async *export(query: BodyOf<typeof exportFacts>, call: Call): AsyncGenerator<{ csv: string }> {
    const kind = exported[query.facts];
    const agentIds = kind.hasAgents ? await this.scope.of(query.agentIds, call) : undefined;
    const reading = { orgId: organizationOf(call), span: await this.spans.of(query, call), agentIds };
    // The header goes with the first rows: until they are read, a refusal can still be a proper answer.
    let header = csvLine(Object.keys(kind.columns));
    for (let last: Last | undefined; ;) {
      const rows = await this.after(kind, reading, last);
      yield { csv: header + rows.map(({ cells }) => csvLine(cells)).join('') };
      last = rows.at(-1);
      if (rows.length < batch || !last) return;
      header = '';
    }
  }

  private after({ table, columns, hasAgents }: Exported, { orgId, span, agentIds }: Reading, last: Last | undefined) {
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
