import { setImmediate as others } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { listUnanswered, readUnanswered } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { asksTheSame, type ComparableQuestion, comparableQuestion } from '@parley/language';
import { type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { baseOf } from '../knowledge-bases/knowledge-change';

type ListUnansweredRequest = z.output<typeof listUnanswered.request>;

/** Questions that an organization's knowledge bases could not answer. The conversation service stores them. */
@Controller()
export class UnansweredController {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  @Handles(listUnanswered)
  async list(query: ListUnansweredRequest, call: Call): Promise<z.input<typeof listUnanswered.reply>> {
    const { KBID, startDate, endDate, pageNo, pageSize } = query;
    await this.tenants.read(organizationOf(call), (manager) => baseOf(manager, { id: KBID }));
    const { wordings } = await this.bus.ask(readUnanswered, { KBID, startDate, endDate });
    const groups = (await groupedQuestions(wordings)).sort(orderOf(query));
    const rows = groups.slice((pageNo - 1) * pageSize, pageNo * pageSize);
    return { rows, totalCount: groups.length, pageNo, pageSize };
  }
}

function orderOf({ sortColumn, sortOrder }: ListUnansweredRequest): (one: UnansweredGroup, other: UnansweredGroup) => number {
  const sign = sortOrder === 'DESC' ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one[sortColumn], other[sortColumn]];
    const byColumn = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
    return sign * byColumn || one.question.localeCompare(other.question);
  };
}

export type Wording = z.output<typeof readUnanswered.reply>['wordings'][number];
type UnansweredGroup = z.input<typeof listUnanswered.reply>['rows'][number];

const examplesMax = 5;

/** Groups wordings that ask the same, in any language; the latest represents its group. */
export async function groupedQuestions(wordings: readonly Wording[]): Promise<UnansweredGroup[]> {
  const groups = await groupsOf(wordings);
  return groups.map((alike) => {
    const inTime = alike.toSorted((one, other) => other.lastAskedOn.localeCompare(one.lastAskedOn));
    const firsts = alike.map(({ firstAskedOn }) => firstAskedOn).sort();
    return {
      question: inTime[0]?.question ?? '',
      count: alike.reduce((sum, { count }) => sum + count, 0),
      examples: inTime.slice(0, examplesMax).map(({ question }) => question),
      languages: [...new Set(alike.flatMap(({ languages }) => languages))].sort(),
      firstAskedOn: firsts[0] ?? '',
      lastAskedOn: inTime[0]?.lastAskedOn ?? '',
    };
  });
}

/** Up to two thousand are compared, so after this many, other work gets its turn. */
const wordingsInARow = 50;

/** Each wording joins the first group whose first wording asks the same; only wordings that share a word are compared. */
async function groupsOf(wordings: readonly Wording[]): Promise<Wording[][]> {
  const groups: { asked: ComparableQuestion; members: Wording[] }[] = [];
  const byKey = new Map<string, number[]>();
  for (const [place, wording] of wordings.entries()) {
    const comparable = comparableQuestion(wording.question);
    const near = new Set(comparable.keys.flatMap((key) => byKey.get(key) ?? []));
    const found = [...near].sort((one, other) => one - other).find((each) => asksTheSame(comparable, groups[each]?.asked));
    if (found !== undefined) groups[found]?.members.push(wording);
    else {
      for (const key of comparable.keys) byKey.set(key, [...(byKey.get(key) ?? []), groups.length]);
      groups.push({ asked: comparable, members: [wording] });
    }
    if (place % wordingsInARow === 0) await others();
  }
  return groups.map(({ members }) => members);
}
