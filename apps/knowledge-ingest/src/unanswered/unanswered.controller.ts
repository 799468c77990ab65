import { Controller } from '@nestjs/common';
import { listUnanswered, readUnanswered } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { topicsOf } from '@parley/language';
import { type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { normalizedQuestion } from '../faqs/faq-matching';
import { baseOf } from '../knowledge-bases/knowledge-bases.service';

type Query = z.output<typeof listUnanswered.request>;

/** What the knowledge bases of an organization should know and do not. The questions stay where the conversations are. */
@Controller()
export class UnansweredController {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  @Handles(listUnanswered)
  async list(query: Query, call: Call): Promise<z.input<typeof listUnanswered.reply>> {
    const { KBID, startDate, endDate, pageNo, pageSize } = query;
    await this.tenants.read(organizationOf(call), (manager) => baseOf(manager, { id: KBID }));
    const { wordings } = await this.bus.ask(readUnanswered, { KBID, startDate, endDate });
    const groups = groupedQuestions(wordings).sort(orderOf(query));
    const rows = groups.slice((pageNo - 1) * pageSize, pageNo * pageSize);
    return { rows, totalCount: groups.length, pageNo, pageSize };
  }
}

function orderOf({ sortColumn, sortOrder }: Query): (one: Group, other: Group) => number {
  const sign = sortOrder === 'DESC' ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one[sortColumn], other[sortColumn]];
    const byColumn = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
    return sign * byColumn || one.question.localeCompare(other.question);
  };
}

export type Wording = z.output<typeof readUnanswered.reply>['wordings'][number];
export type Group = z.input<typeof listUnanswered.reply>['rows'][number];

const examplesMax = 5;

/** Wordings that ask about the same thing as one question, in whatever language; the latest wording speaks for all. */
export function groupedQuestions(wordings: readonly Wording[]): Group[] {
  const groups = Map.groupBy(wordings, ({ question }) => subjectOf(question));
  return [...groups.values()].map((alike) => {
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

/** The concepts of a question and how its other words sound: the same for "repair kettles?" and "केतली की मरम्मत". */
function subjectOf(question: string): string {
  const { concepts, words } = topicsOf(question);
  const sounds = words.map(({ stem, sounds }) => sounds.at(-1) ?? stem).sort();
  return concepts === '' && sounds.length === 0 ? normalizedQuestion(question) : [concepts, ...sounds].join(' ');
}
