import { Injectable } from '@nestjs/common';
import { ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { CallBook } from '../calls/call-book';
import { HeldCalls } from '../live/held-calls';
import { Slots } from '../live/slots';

/** What an operator has set about calls. */
export abstract class CallSettings {
  abstract readonly silentMediaMs: number;
  abstract readonly waitingMs: number;
  abstract readonly drainMs: number;
}

/** What every call of this replica works with. */
@Injectable()
export class CallParts {
  constructor(
    readonly bus: ServiceBus,
    readonly book: CallBook,
    readonly slots: Slots,
    readonly held: HeldCalls,
    readonly settings: CallSettings,
    readonly log: Logger,
  ) {}
}
