import type { LanguageModel, ModelEvent, ModelRequest } from '@parley/ports';
import { countTokens } from '../token-count';
import { extract } from './extract';
import { phrases, remarkOf } from './phrases';

/** Speaks without any key: greets, quotes the passage that fits, and says so when it does not know. It invents nothing. */
export class BuiltinModel implements LanguageModel {
  readonly name = 'builtin/extractive';
  readonly capabilities = { contextTokens: 8192, hasTools: false };

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const answer = answerTo(asked, request);
    for (const piece of answer.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    yield { type: 'finish', reason: 'stop', usage: usageOf(request, asked, answer) };
  }
}

function answerTo(asked: string, { grounds }: ModelRequest): string {
  const { language, agentName, greeting, passages } = grounds;
  const own = phrases[language];
  switch (remarkOf(asked)) {
    case 'greeting':
      return isWrittenFor(language, greeting) ? greeting : own.greeting(agentName);
    case 'thanks':
      return own.thanks;
    case 'farewell':
      return own.farewell;
    case 'identity':
      return own.identity(agentName);
    case undefined:
      return extract(asked, passages) ?? own.unknown;
  }
}

/** An agent has one greeting, in the script of its own language. */
function isWrittenFor(language: string, greeting: string): boolean {
  const isDevanagari = /\p{Script=Devanagari}/u.test(greeting);
  return greeting.trim() !== '' && isDevanagari === (language !== 'english');
}

/** It reads the question and the passages, and no more of the prompt. */
function usageOf({ grounds }: ModelRequest, asked: string, answer: string) {
  const read = [asked, ...grounds.passages.map(({ text }) => text)].join('\n');
  return { promptTokens: countTokens(read), completionTokens: countTokens(answer) };
}
