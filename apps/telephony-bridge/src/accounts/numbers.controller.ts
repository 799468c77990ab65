import { Controller } from '@nestjs/common';
import { deleteNumber, getNumber, listNumbers, saveNumber } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { Numbers } from './numbers.service';

type Save = HandlerOf<typeof saveNumber>;
type List = HandlerOf<typeof listNumbers>;
type Get = HandlerOf<typeof getNumber>;

/** Numbers over the bus. */
@Controller()
export class NumbersController {
  constructor(private readonly numbers: Numbers) {}

  @Handles(saveNumber)
  save(wanted: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.numbers.save(wanted, call);
  }

  @Handles(listNumbers)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.numbers.list(query, call);
  }

  @Handles(getNumber)
  get({ NumberKeyID }: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.numbers.get(NumberKeyID, call);
  }

  @Handles(deleteNumber)
  delete({ NumberKeyID }: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.numbers.delete(NumberKeyID, call);
  }
}
