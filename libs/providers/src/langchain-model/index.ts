import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import {
  type LanguageModel,
  type LanguageModelCapabilities,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  sentMessages,
  type ToolSpecification,
} from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ModelAnswer, toProviderFailure, type UsageCounting } from '../model-answer';

const Arguments = z.record(z.string(), z.unknown());

interface Sampling {
  readonly temperature: number;
  readonly tokensMax: number;
}

interface Description {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  readonly counting?: UsageCounting;
  /** Creates a client; LangChain binds the temperature to it. */
  client(sampling: Sampling): BaseChatModel;
}

const clientsMax = 32;

/** Adapts a chat model of LangChain to our port. Its own retries are disabled, since the chain of models retries. */
export class LangchainModel implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  private readonly clients = new LRUCache<string, BaseChatModel>({ max: clientsMax });

  constructor(private readonly description: Description) {
    this.name = description.name;
    this.capabilities = description.capabilities;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const answer = new ModelAnswer(this.name, this.description.counting ?? 'increments');
    // Some clients keep the connection open when their stream is left, so it is aborted.
    const leaving = new AbortController();
    let isDone = false;
    try {
      const client = this.clientFor(request);
      const bound = request.tools.length > 0 && client.bindTools ? client.bindTools(request.tools.map(toolOf)) : client;
      for await (const chunk of await bound.stream(messagesOf(request), { signal: AbortSignal.any([signal, leaving.signal]) })) {
        const text = answer.take(chunk);
        if (answer.thought !== '') await request.onThought?.(answer.thought);
        if (text !== '') yield { type: 'text', text };
        signal.throwIfAborted();
      }
      isDone = true;
      signal.throwIfAborted();
      yield* answer.rest();
    } catch (error) {
      signal.throwIfAborted();
      throw toProviderFailure(this.name, error);
    } finally {
      if (!isDone) leaving.abort();
    }
  }

  private clientFor({ temperature, tokensMax }: Sampling): BaseChatModel {
    const key = `${temperature}/${tokensMax}`;
    const known = this.clients.get(key);
    if (known) return known;
    const client = this.description.client({ temperature, tokensMax });
    this.clients.set(key, client);
    return client;
  }
}

/** Converts a conversation to LangChain's messages. */
function messagesOf(request: ModelRequest): BaseMessage[] {
  return [new SystemMessage(request.system), ...sentMessages(request).map(messageOf)];
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

/** A tool in the format that all providers accept. */
function toolOf({ name, description, parameters }: ToolSpecification) {
  return { type: 'function' as const, function: { name, description, parameters } };
}
