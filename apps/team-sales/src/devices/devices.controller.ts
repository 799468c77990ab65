import { Controller } from '@nestjs/common';
import { bindImei, resetImei } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { DevicesService } from './devices.service';

/** Device locks over the bus. */
@Controller()
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Handles(bindImei)
  bind(body: BodyOf<typeof bindImei>, call: Call): Promise<ReplyOf<typeof bindImei>> {
    return this.devices.bind(body, call);
  }

  @Handles(resetImei)
  reset(body: BodyOf<typeof resetImei>, call: Call): Promise<ReplyOf<typeof resetImei>> {
    return this.devices.reset(body, call);
  }
}
