import type { LanguageModel, ModelEvent, ModelRequest } from '@parley/ports';
import { countTokens } from '../token-count';
import { phrases } from './phrases';
import { remarkOf } from './remarks';

const endConversation = 'end_conversation';

/** Speaks without any key: greets, quotes the passage that fits, and says so when it does not know. It invents nothing. */
export class BuiltinModel implements LanguageModel {
  readonly name = 'builtin/extractive';
  readonly capabilities = { contextTokens: 8192, hasTools: true };

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const answer = answerTo(asked, request);
    for (const piece of answer.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    const usage = usageOf(request, asked, answer);
    if (!endsWith(asked, request)) return yield { type: 'finish', reason: 'stop', usage };
    yield { type: 'tool-call', call: { id: endConversation, name: endConversation, arguments: {} } };
    yield { type: 'finish', reason: 'tool-calls', usage };
  }
}

function answerTo(asked: string, { grounds }: ModelRequest): string {
  const { language, agentName, greeting, passages } = grounds;
  const own = phrases[language];
  const remark = remarkOf(asked, agentName);
  if (remark === undefined) return passages.find(({ excerpt }) => excerpt !== '')?.excerpt ?? own.unknown;
  if (remark === 'greeting' && isWrittenFor(language, greeting)) return greeting;
  const said = own[remark];
  return typeof said === 'string' ? said : said(agentName);
}

/** The one tool that it knows: after a farewell it hangs up, where it may. */
function endsWith(asked: string, { tools, grounds }: ModelRequest): boolean {
  return remarkOf(asked, grounds.agentName) === 'farewell' && tools.some(({ name }) => name === endConversation);
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
