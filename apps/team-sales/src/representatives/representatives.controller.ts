import { Controller } from '@nestjs/common';
import { listRepresentatives, listSalesUserChoices } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { RepresentativesService } from './representatives.service';

/** Representatives over the bus. */
@Controller()
export class RepresentativesController {
  constructor(private readonly representatives: RepresentativesService) {}

  @Handles(listRepresentatives)
  list(body: BodyOf<typeof listRepresentatives>, call: Call): Promise<ReplyOf<typeof listRepresentatives>> {
    return this.representatives.list(body, call);
  }

  @Handles(listSalesUserChoices)
  listChoices(_: object, call: Call): Promise<ReplyOf<typeof listSalesUserChoices>> {
    return this.representatives.listChoices(call);
  }
}
