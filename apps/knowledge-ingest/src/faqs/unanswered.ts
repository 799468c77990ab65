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

interface Group {
  readonly asked: ComparableQuestion;
  readonly members: Wording[];
}

/** What any wording takes, however short. */
const wordingWork = 400;
/** Letters read and pairs of words compared, about 10 ms of them, after which other work gets its turn. */
const workInARow = 20_000;

/** Each wording joins the first group whose first wording asks the same; only wordings that share a word are compared. */
async function groupsOf(wordings: readonly Wording[]): Promise<Wording[][]> {
  const groups: Group[] = [];
  const byKey = new Map<string, number[]>();
  let done = 0;
  const working: Working = async (work) => {
    done += work;
    if (done < workInARow) return;
    done = 0;
    await others();
  };
  for (const wording of wordings) {
    const asked = comparableQuestion(wording.question);
    await working(wordingWork + wording.question.length);
    const near = [...new Set(asked.keys.flatMap((key) => byKey.get(key) ?? []))].sort((one, other) => one - other);
    const found = await groupAmong(
      near.flatMap((place) => groups[place] ?? []),
      asked,
      working,
    );
    if (found) {
      found.members.push(wording);
      continue;
    }
    for (const key of asked.keys) {
      const places = byKey.get(key);
      if (places) places.push(groups.length);
      else byKey.set(key, [groups.length]);
    }
    groups.push({ asked, members: [wording] });
  }
  return groups.map(({ members }) => members);
}

type Working = (work: number) => Promise<void>;

async function groupAmong(near: readonly Group[], asked: ComparableQuestion, working: Working): Promise<Group | undefined> {
  for (const group of near) {
    if (asksTheSame(asked, group.asked)) return group;
    await working(asked.words.length * group.asked.words.length);
  }
  return undefined;
}
