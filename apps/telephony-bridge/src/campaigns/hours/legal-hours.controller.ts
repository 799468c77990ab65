import { Controller } from '@nestjs/common';
import { listLegalHours, saveLegalHours } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { LegalHoursBook } from './legal-hours.service';

type List = HandlerOf<typeof listLegalHours>;
type Save = HandlerOf<typeof saveLegalHours>;

/** Legal hours over the bus. */
@Controller()
export class LegalHoursController {
  constructor(private readonly book: LegalHoursBook) {}

  @Handles(listLegalHours)
  list(_: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.book.list(call);
  }

  @Handles(saveLegalHours)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.book.save(wanted, call);
  }
}
