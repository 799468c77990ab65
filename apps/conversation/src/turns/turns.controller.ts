import { Controller } from '@nestjs/common';
import { askText, Fault } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { TurnsService } from './turns.service';

/** Questions over the bus. */
@Controller()
export class TurnsController {
  constructor(private readonly turns: TurnsService) {}

  @Handles(askText)
  async ask(body: BodyOf<typeof askText>, call: Call): Promise<ReplyOf<typeof askText>> {
    for await (const item of this.turns.run({ ...body, channel: 'API' }, call)) if (item.type === 'done') return item;
    throw new Fault('INTERNAL', { cause: new Error('a turn ended without its last item') });
  }
}
