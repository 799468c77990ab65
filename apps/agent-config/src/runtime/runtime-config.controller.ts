import { Controller } from '@nestjs/common';
import { getRuntimeConfig, saveRuntimeConfig } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { RuntimeConfigs } from './runtime-configs.service';

type Save = HandlerOf<typeof saveRuntimeConfig>;
type Get = HandlerOf<typeof getRuntimeConfig>;

/** Runtime configurations over the bus. */
@Controller()
export class RuntimeConfigController {
  constructor(private readonly configs: RuntimeConfigs) {}

  @Handles(saveRuntimeConfig)
  save(body: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.configs.save(body, call);
  }

  @Handles(getRuntimeConfig)
  get(choice: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.configs.get(choice, call);
  }
}
