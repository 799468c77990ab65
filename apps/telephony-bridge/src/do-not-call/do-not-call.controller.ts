import { Controller } from '@nestjs/common';
import { addDoNotCall, listDoNotCall, removeDoNotCall } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { DoNotCallList } from './do-not-call.service';

type Add = HandlerOf<typeof addDoNotCall>;
type List = HandlerOf<typeof listDoNotCall>;
type Remove = HandlerOf<typeof removeDoNotCall>;

/** The do-not-call list over the bus. */
@Controller()
export class DoNotCallController {
  constructor(private readonly listed: DoNotCallList) {}

  @Handles(addDoNotCall)
  add(wanted: Parameters<Add>[0], call: Call): ReturnType<Add> {
    return this.listed.add(wanted, call);
  }

  @Handles(listDoNotCall)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.listed.list(query, call);
  }

  @Handles(removeDoNotCall)
  remove({ DoNotCallKeyID }: Parameters<Remove>[0], call: Call): ReturnType<Remove> {
    return this.listed.remove(DoNotCallKeyID, call);
  }
}
