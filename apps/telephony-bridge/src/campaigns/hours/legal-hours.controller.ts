import { Controller } from '@nestjs/common';
import { listLegalHours, readCallLimits, saveCallLimits, saveLegalHours } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { CallLimitsBook } from './call-limits.service';
import { LegalHoursBook } from './legal-hours.service';

type List = HandlerOf<typeof listLegalHours>;
type Save = HandlerOf<typeof saveLegalHours>;

type SaveLimits = HandlerOf<typeof saveCallLimits>;
type ReadLimits = HandlerOf<typeof readCallLimits>;

/** What holds for all campaigns of an organization, over the bus. */
@Controller()
export class LegalHoursController {
  constructor(
    private readonly book: LegalHoursBook,
    private readonly limits: CallLimitsBook,
  ) {}

  @Handles(listLegalHours)
  list(_: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.book.list(call);
  }

  @Handles(saveLegalHours)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.book.save(wanted, call);
  }

  @Handles(readCallLimits)
  readLimits(_: Parameters<ReadLimits>[0], call: Call): ReturnType<ReadLimits> {
    return this.limits.read(call);
  }

  @Handles(saveCallLimits)
  saveLimits(wanted: Parameters<SaveLimits>[0], call: Call): ReturnType<SaveLimits> {
    return this.limits.save(wanted, call);
  }
}
