import { Controller } from '@nestjs/common';
import {
  askText,
  discardTurn,
  Fault,
  readTurn,
  recordHeardText,
  recordLatency,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { type Ask, TurnsService } from './turns.service';
import { TurnCorrections, TurnLookup } from './turn-lookup';

/** Turns over the bus. */
@Controller()
export class TurnsController {
  constructor(
    private readonly turns: TurnsService,
    private readonly lookup: TurnLookup,
    private readonly corrections: TurnCorrections,
  ) {}

  @Handles(askText)
  async ask(body: BodyOf<typeof askText>, call: Call): Promise<ReplyOf<typeof askText>> {
    for await (const item of this.turns.run({ ...body, channel: 'API', isSpeculative: false, isWhole: true }, call))
      if (item.type === 'done') return item;
    throw new Fault('INTERNAL', { cause: new Error('a turn ended without its last item') });
  }

  @Handles(streamTurn)
  stream(body: Ask, call: Call): AsyncIterable<TurnItem> {
    return this.turns.run(body, call);
  }

  @Handles(readTurn)
  read(body: BodyOf<typeof readTurn>, call: Call): Promise<ReplyOf<typeof readTurn>> {
    return this.lookup.read(body, call);
  }

  @Handles(recordHeardText)
  recordHeard(body: BodyOf<typeof recordHeardText>, call: Call): Promise<ReplyOf<typeof recordHeardText>> {
    return this.corrections.recordHeard(body, call);
  }

  @Handles(discardTurn)
  discard(body: BodyOf<typeof discardTurn>, call: Call): Promise<ReplyOf<typeof discardTurn>> {
    return this.corrections.discard(body, call);
  }

  @Handles(recordLatency)
  recordLatency(body: BodyOf<typeof recordLatency>, call: Call): Promise<ReplyOf<typeof recordLatency>> {
    return this.corrections.recordLatency(body, call);
  }
}
