import { Controller } from '@nestjs/common';
import { listUnanswered, readUnanswered } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { baseOf } from '../knowledge-bases/knowledge-bases.service';
import { type Group, groupedQuestions } from './grouped-questions';

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
