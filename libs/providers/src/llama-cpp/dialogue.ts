import type { ModelMessage, ModelRequest } from '@parley/ports';
import type { HistoryItem } from './llama-module';

/** A conversation as the library wants it: what was said before, and what is said now. */
export interface Dialogue {
  readonly earlier: HistoryItem[];
  readonly prompt: string;
}

/** What the user said last is the prompt. Where the model itself spoke last, it is asked to go on. */
export function dialogueOf({ messages }: Pick<ModelRequest, 'messages'>): Dialogue {
  const items = messages.flatMap(itemsOf);
  const last = items.at(-1);
  if (last?.type !== 'user') return { earlier: items, prompt: '' };
  return { earlier: items.slice(0, -1), prompt: last.text };
}

/** It is offered no tools; what another model's tools found is read to it as text. */
function itemsOf(message: ModelMessage): HistoryItem[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'user', text: message.text }];
    case 'assistant':
      return message.text === '' ? [] : [{ type: 'model', response: [message.text] }];
    case 'tool':
      return [{ type: 'user', text: `(${message.name}: ${message.text})` }];
  }
}
