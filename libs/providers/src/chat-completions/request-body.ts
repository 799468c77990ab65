import type { ModelMessage, ModelRequest, ToolSpecification } from '@parley/ports';

/** A conversation as the protocol writes it. */
export function bodyOf(model: string, { system, messages, tools, temperature, tokensMax }: ModelRequest): string {
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    max_tokens: tokensMax,
    messages: [{ role: 'system', content: system }, ...messages.map(messageOf)],
    // Several servers refuse an empty list.
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
  });
}

function messageOf(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => {
        return { id, type: 'function', function: { name, arguments: JSON.stringify(given ?? {}) } };
      });
      return { role: 'assistant', content: message.text, ...(calls.length > 0 && { tool_calls: calls }) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
}

function toolOf({ name, description, parameters }: ToolSpecification): object {
  return { type: 'function', function: { name, description, parameters } };
}
