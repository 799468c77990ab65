import { Injectable } from '@nestjs/common';
import type { Call } from '@parley/messaging';
import type { AgentRuntime } from '@parley/contracts';
import { type LanguageModel, type ModelMessage, type ModelRequest, ProviderFailure, type ToolCall } from '@parley/ports';
import { countTokens } from '@parley/providers/token-count';
import { AnswerGuard } from '../guards/answer-guard';
import { endConversation } from '../tools/end-conversation';
import { runTools } from '../tools/run-tools';
import type { TurnTool } from '../tools/tool';
import type { Draft } from './draft';

export interface Loop {
  readonly model: LanguageModel;
  readonly prompt: ModelRequest;
  readonly tools: readonly TurnTool[];
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly call: Call;
}

const stepsMax = 5;
const answerLettersMax = 20_000;
/** More than any model reads. */
const reportedTokensMax = 10_000_000;

/** Lets a model speak, and use its tools in between, until it is done or has had its share of steps. */
@Injectable()
export class ModelLoop {
  async *run(loop: Loop): AsyncGenerator<string> {
    const messages: ModelMessage[] = [...loop.prompt.messages];
    for (let step = 1; step <= stepsMax; step++) {
      // Without tools on its last step, it can only answer.
      const tools = step < stepsMax ? loop.prompt.tools : [];
      const said = new Step({ ...loop.prompt, messages, tools });
      try {
        yield* this.listen(loop, said);
      } finally {
        loop.draft.spend(said.usage());
      }
      if (said.calls.length === 0 || tools.length === 0) return;
      messages.push({ role: 'assistant', text: said.text, toolCalls: said.calls }, ...(await this.answersTo(said.calls, loop)));
      if (said.text.trim() !== '' && said.calls.every(({ name }) => name === endConversation)) return;
    }
  }

  private async *listen({ model, draft, call }: Loop, step: Step): AsyncGenerator<string> {
    const guard = new AnswerGuard(step.request);
    for await (const event of model.stream(step.request, call.signal)) {
      if (event.type === 'tool-call') step.calls.push(event.call);
      if (event.type === 'finish') step.reported = event.usage;
      if (event.type !== 'text') continue;
      step.text += event.text;
      const said = guard.take(event.text);
      if (said !== '') yield said;
      if (guard.hasStopped) return void step.calls.splice(0);
      if (draft.answer.length > answerLettersMax || step.text.length > answerLettersMax)
        throw new ProviderFailure(model.name, 'it does not stop talking', { retryable: false });
    }
    const rest = guard.rest();
    if (rest !== '') yield rest;
  }

  private async answersTo(calls: readonly ToolCall[], { tools, agent, draft, call }: Loop): Promise<ModelMessage[]> {
    const told = await runTools(calls, tools, { agent, draft, call });
    if (calls.some(({ name }) => name !== endConversation)) draft.isKnown = true;
    return calls.map(({ id, name }, place) => ({ role: 'tool', callId: id, name, text: told[place] ?? '' }));
  }
}

/** One request to a model and what came of it. */
class Step {
  text = '';
  readonly calls: ToolCall[] = [];
  reported: { promptTokens: number; completionTokens: number } | null = null;

  constructor(readonly request: ModelRequest) {}

  /** As the provider counts it; counted by us where it said nothing to be believed, or was cut off before it could. */
  usage() {
    if (this.reported && Object.values(this.reported).every(isBelievable)) return this.reported;
    const { system, messages } = this.request;
    const read = [system, ...messages.map(({ text }) => text)].join('\n');
    return { promptTokens: countTokens(read), completionTokens: countTokens(this.text) };
  }
}

function isBelievable(tokens: number): boolean {
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= reportedTokensMax;
}
