import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { ModelMessage, ModelRequest, ToolSpecification } from '@parley/ports';
import { z } from 'zod';

const Arguments = z.record(z.string(), z.unknown());

/** A conversation in LangChain's words. */
export function messagesOf({ system, messages }: ModelRequest): BaseMessage[] {
  return [new SystemMessage(system), ...messages.map(messageOf)];
}

function messageOf(message: ModelMessage): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage(message.text);
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => {
        return { id, name, args: Arguments.safeParse(given).data ?? {}, type: 'tool_call' as const };
      });
      return new AIMessage({ content: message.text, tool_calls: calls });
    }
    case 'tool':
      return new ToolMessage({ tool_call_id: message.callId, name: message.name, content: message.text });
  }
}

/** A tool as the models of all providers are told of it. */
export function toolOf({ name, description, parameters }: ToolSpecification) {
  return { type: 'function' as const, function: { name, description, parameters } };
}
