import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { getTodayCounts } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import { CallCountsService } from '../figures/call-counts.service';
import type { ReplyOf } from '../message-types';

type Counts = ReplyOf<typeof getTodayCounts>;

const lookEveryMs = 1_000;

/** Today's counts for wallboards, whenever they change. A new day begins with zeros. */
@Injectable()
export class TodayWatch {
  constructor(private readonly counts: CallCountsService) {}

  async *watch(after: string | undefined, call: Call): AsyncGenerator<Counts> {
    let known = after;
    while (!call.signal.aborted) {
      const counts = await this.counts.today(call);
      if (counts.change !== known) yield counts;
      known = counts.change;
      await delay(lookEveryMs, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }
}
