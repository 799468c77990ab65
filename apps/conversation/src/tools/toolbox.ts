import { Injectable } from '@nestjs/common';
import type { AgentRuntime } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { EndConversation } from './end-conversation';
import { knowledgeTools } from './knowledge-tools';
import type { TurnTool } from './tool';

/** The tools that an agent has. Tools of its own, over HTTP and MCP, join this list. */
@Injectable()
export class Toolbox {
  constructor(private readonly bus: ServiceBus) {}

  of({ KBID }: AgentRuntime): readonly TurnTool[] {
    return [new EndConversation(), ...(KBID === null ? [] : knowledgeTools(this.bus, KBID))];
  }
}
