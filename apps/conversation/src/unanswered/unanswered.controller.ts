import { Controller } from '@nestjs/common';
import { readUnanswered } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';
import type { BodyOf, ReplyOf } from '../message-types';
import { TimeZones } from '../logs/logs.service';

type Wordings = ReplyOf<typeof readUnanswered>['wordings'];

const wordingsMax = 2000;
const turnsReadMax = 20_000;

/** Of the latest turns that did not know, each wording once. Letter case makes no other question. */
const unanswered = `
  SELECT (array_agg(question ORDER BY id DESC))[1] AS question, count(*)::int AS count,
    array_agg(DISTINCT language) AS languages, min(asked_on) AS "firstAskedOn", max(asked_on) AS "lastAskedOn"
  FROM (
    SELECT turns.id, turns.question, sessions.language, turns.asked_on
    FROM turns JOIN sessions ON sessions.id = session_id
    WHERE turns.org_id = $1 AND kb_id = $2 AND is_unanswered AND question <> '' AND turns.status IN ('COMPLETED', 'INTERRUPTED')
      AND ($3::timestamptz IS NULL OR asked_on >= $3) AND ($4::timestamptz IS NULL OR asked_on < $4)
      AND ($5::int[] IS NULL OR sessions.agent_id = ANY ($5))
    ORDER BY turns.id DESC LIMIT ${turnsReadMax}
  ) latest
  GROUP BY lower(question) ORDER BY max(id) DESC LIMIT ${wordingsMax}`;

/** What agents did not know, over the bus. */
@Controller()
export class UnansweredController {
  constructor(
    private readonly tenants: TenantScope,
    private readonly zones: TimeZones,
  ) {}

  @Handles(readUnanswered)
  async read(query: BodyOf<typeof readUnanswered>, call: Call): Promise<ReplyOf<typeof readUnanswered>> {
    const zone = await this.zones.for({ startDate: query.startDate, endDate: query.endDate }, call);
    const orgId = organizationOf(call);
    const values = [
      orgId,
      query.KBID,
      query.startDate ? firstInstant(query.startDate, zone) : null,
      query.endDate ? firstInstantAfter(query.endDate, zone) : null,
      call.principal?.agentIds ?? null,
    ];
    const rows = await this.tenants.read(orgId, (manager) => manager.query<Row[]>(unanswered, values));
    return { wordings: rows.map(wordingOf) };
  }
}

type Row = Omit<Wordings[number], 'firstAskedOn' | 'lastAskedOn'> & { firstAskedOn: Date; lastAskedOn: Date };

function wordingOf({ firstAskedOn, lastAskedOn, ...row }: Row): Wordings[number] {
  return { ...row, firstAskedOn: firstAskedOn.toISOString(), lastAskedOn: lastAskedOn.toISOString() };
}
