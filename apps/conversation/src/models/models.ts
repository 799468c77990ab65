import { Injectable } from '@nestjs/common';
import type { AgentRuntime } from '@parley/contracts';
import type { LanguageModel } from '@parley/ports';
import { BuiltinModel } from '@parley/providers/builtin-model';

/** Which model answers for an agent. */
@Injectable()
export class Models {
  private readonly builtin = new BuiltinModel();

  of(_agent: AgentRuntime): LanguageModel {
    return this.builtin;
  }
}
