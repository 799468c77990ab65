import { Injectable } from '@nestjs/common';
import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { AgentRuntime } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import {
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
  ProviderFailure,
  readOf,
  type ToolCall,
  within,
} from '@parley/ports';
import { countTokens } from '@parley/providers/token-count';
import { type Figure, ServiceFigures } from '@parley/service-kit';
import { AnswerGuard, inPieces } from '../answers/answer-guard';
import { endConversation, type ToolSurroundings, type TurnTool } from '../answers/toolbox';
import { type Draft, TurnPayment } from './draft';

const callsMax = 4;

const toolMs = 5000;

const resultLettersMax = 4000;

export interface Loop {
  readonly model: LanguageModel;
  readonly prompt: ModelRequest;
  readonly tools: readonly TurnTool[];
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly call: Call;
}

const stepsMax = 5;
/** Few languages have fewer letters to a token, and hardly one has more than the second. */
const lettersPerToken = 2;
const lettersPerTokenMost = 4;
const answerLettersMax = 20_000;
/** More than any model reads. */
const reportedTokensMax = 10_000_000;

/** Lets a model answer and call tools, until it is done or has used up its steps. */
@Injectable()
export class ModelLoop {
  constructor(
    private readonly payment: TurnPayment,
    private readonly figures: ServiceFigures,
  ) {}

  /** Holds what the first answer to a prompt may come to at most, before anything else is spent on the turn. */
  async affordFirst(prompt: ModelRequest, { capabilities }: LanguageModel, draft: Draft): Promise<void> {
    await this.payment.afford(draft, new Step(prompt, capabilities).tokensMax, 0);
  }

  async *run(loop: Loop): AsyncGenerator<string> {
    const messages: ModelMessage[] = [...loop.prompt.messages];
    for (let step = 1; step <= stepsMax; step++) {
      // Without tools on its last step, it can only answer.
      const tools = step < stepsMax ? loop.prompt.tools : [];
      const use = new ModelUse(loop.model, this.figures);
      const onFailure = (failure: ProviderFailure) => {
        loop.draft.noteFailure(failure);
        use.fail(failure);
      };
      const said = new Step(
        { ...loop.prompt, messages, tools, onFailure, onBegin: (model) => use.begin(model) },
        loop.model.capabilities,
      );
      const { totalTokens } = loop.draft.tokenUsage;
      await this.payment.afford(loop.draft, said.tokensMax + totalTokens, totalTokens);
      try {
        yield* this.listen(loop, said);
        use.outcome = 'answered';
        if (loop.draft.isUnanswered) loop.draft.isKnown = false;
      } finally {
        const used = said.hasProduced || isLeft(loop.call) ? said.usage() : undefined;
        if (used) loop.draft.spend(used);
        use.end(said.request, used);
      }
      if (tools.length === 0) return requireWords(loop, said);
      if (said.calls.length === 0) return;
      messages.push({ role: 'assistant', text: said.text, toolCalls: said.calls }, ...(await this.answersTo(said.calls, loop)));
      if (said.text.trim() !== '' && said.calls.every(({ name }) => name === endConversation)) return;
    }
  }

  private async *listen({ model, draft, call }: Loop, step: Step): AsyncGenerator<string> {
    const guard = new AnswerGuard(step.request, draft.answer);
    for await (const event of model.stream(step.request, call.signal)) {
      if (event.type === 'tool-call') step.calls.push(event.call);
      if (event.type === 'finish') step.reported = event.usage;
      if (event.type !== 'text') continue;
      step.text += event.text;
      draft.promptTokensLeast = draft.usage.promptTokens + step.promptTokensLeast;
      const spent = step.tokensLeast + draft.tokenUsage.totalTokens;
      // Each step of the way is taken for every word of every answer, so nothing is awaited that need not be.
      if (this.payment.isBeyondHold(draft, spent)) await this.payment.afford(draft, spent, spent);
      for await (const piece of inPieces(event.text)) {
        const said = guard.take(piece);
        if (said !== '') yield said;
        draft.isUnanswered = guard.saysUnknown;
        if (guard.hasStopped || draft.answer.length > answerLettersMax) return void step.calls.splice(0);
      }
      // What was said is kept, since it is paid. A model whose long output was all filtered out has answered nothing.
      if (step.text.length <= answerLettersMax) continue;
      if (draft.answer === '') throw tooLong(model.name);
      return void step.calls.splice(0);
    }
    const rest = guard.rest();
    draft.isUnanswered = guard.saysUnknown;
    if (rest !== '') yield rest;
  }

  private async answersTo(calls: readonly ToolCall[], { tools, agent, draft, call }: Loop): Promise<ModelMessage[]> {
    const told = await runTools(calls, tools, { agent, draft, call });
    if (calls.some(({ name }) => name !== endConversation)) draft.isKnown = true;
    return calls.map(({ id, name }, place) => ({ role: 'tool', callId: id, name, text: told[place] ?? '' }));
  }
}

/** A model that calls tools to the last has answered nothing, unless it ended or handed over the conversation. */
function requireWords({ model, draft }: Loop, { calls }: Step): void {
  const isOver = draft.wantsToEnd || draft.transferTo !== undefined;
  if (calls.length > 0 && draft.answer === '' && !isOver)
    throw new ProviderFailure(model.name, 'it only calls tools', { retryable: false });
}

function tooLong(model: string): ProviderFailure {
  return new ProviderFailure(model, 'it does not stop talking', { retryable: false });
}

/** One request to a model and its outcome. */
class Step {
  text = '';
  readonly calls: ToolCall[] = [];
  reported: { promptTokens: number; completionTokens: number } | null = null;

  private readonly promptLetters: number;

  constructor(
    readonly request: ModelRequest,
    private readonly kind: LanguageModel['capabilities'],
  ) {
    this.promptLetters = readOf(request, kind).length;
  }

  /** Whether the model has answered anything: a failure before costs nothing. */
  get hasProduced(): boolean {
    return this.text !== '' || this.calls.length > 0 || this.reported !== null;
  }

  /** The most that the step should come to. */
  get tokensMax(): number {
    return Math.ceil(this.promptLetters / lettersPerToken) + this.request.tokensMax;
  }

  get promptTokensLeast(): number {
    return Math.ceil(this.promptLetters / lettersPerTokenMost);
  }

  /** The least that it has come to: a model may write more than it was asked for. */
  get tokensLeast(): number {
    return Math.ceil((this.promptLetters + this.text.length) / lettersPerTokenMost);
  }

  /** The provider's count; ours if it reported none that is plausible, or was cut off before it could. */
  usage() {
    const written = [this.text, ...this.calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`)].join('\n');
    if (this.reported && isBelievable(this.reported, written)) return this.reported;
    return { promptTokens: countTokens(readOf(this.request, this.kind)), completionTokens: countTokens(written) };
  }
}

const figures = {
  uses: {
    name: 'parley_model_requests_total',
    help: 'Requests to language models, by how they ended.',
    labels: ['provider', 'outcome'],
  },
  firstToken: { name: 'parley_model_first_token_seconds', help: 'From a request to its first token.', labels: ['provider'] },
  answer: { name: 'parley_model_answer_seconds', help: 'From a request to the end of its answer.', labels: ['provider'] },
  tokens: { name: 'parley_model_tokens_total', help: 'Tokens that models read and wrote.', labels: ['provider', 'kind'] },
} as const satisfies Record<string, Figure<string>>;

/** The names that OpenTelemetry has for providers, where ours differ. */
const conventionalNames: Readonly<Record<string, string>> = { google: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/** One request to a language model: counted, and in a recorded trace a span by OpenTelemetry's conventions for generative models. */
class ModelUse {
  outcome: 'answered' | 'left' | 'failed' = 'left';
  private readonly startedAt = performance.now();
  private readonly span: Span | undefined;
  private failure: ProviderFailure['kind'] = 'UNAVAILABLE';

  constructor(
    private model: Pick<LanguageModel, 'name'>,
    private readonly service: ServiceFigures,
  ) {
    if (trace.getActiveSpan()?.isRecording())
      this.span = trace.getTracer('parley.models').startSpan('chat', { kind: SpanKind.CLIENT });
  }

  begin(name: string): void {
    this.model = { name };
    this.service.time(figures.firstToken, { provider: this.provider }, this.seconds);
    this.span?.addEvent('first token');
  }

  /** Another model may still answer. */
  fail({ provider, kind }: ProviderFailure): void {
    this.service.count(figures.uses, { provider: providerIn(provider), outcome: 'failed' });
    this.outcome = 'failed';
    this.failure = kind;
  }

  end({ temperature, tokensMax }: ModelRequest, used: { promptTokens: number; completionTokens: number } | undefined): void {
    const { provider, outcome } = this;
    if (outcome !== 'failed') this.service.count(figures.uses, { provider, outcome });
    if (outcome === 'answered') this.service.time(figures.answer, { provider }, this.seconds);
    if (used) {
      this.service.count(figures.tokens, { provider, kind: 'prompt' }, used.promptTokens);
      this.service.count(figures.tokens, { provider, kind: 'completion' }, used.completionTokens);
    }
    if (!this.span) return;
    const model = this.model.name.slice(this.model.name.indexOf('/') + 1);
    this.span.updateName(`chat ${model}`).setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': conventionalNames[provider] ?? provider,
      'gen_ai.request.model': model,
      'gen_ai.request.temperature': temperature,
      'gen_ai.request.max_tokens': tokensMax,
      ...(used && { 'gen_ai.usage.input_tokens': used.promptTokens, 'gen_ai.usage.output_tokens': used.completionTokens }),
    });
    if (outcome === 'failed') this.span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', this.failure);
    this.span.end();
  }

  private get provider(): string {
    return providerIn(this.model.name);
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }
}

function providerIn(model: string): string {
  return model.split('/', 1)[0] ?? model;
}

/** Whether the reader left: the model read the prompt on its behalf, so that is charged. A timeout is our failure. */
function isLeft({ signal, deadlineAtMs }: Call): boolean {
  return signal.aborted && Date.now() < deadlineAtMs;
}

/** A prompt is at least one token, and so is anything written. */
function isBelievable({ promptTokens, completionTokens }: ModelUsage, written: string): boolean {
  const isCount = (tokens: number) => Number.isInteger(tokens) && tokens >= 0 && tokens <= reportedTokensMax;
  return isCount(promptTokens) && isCount(completionTokens) && promptTokens > 0 && (completionTokens > 0 || written === '');
}

/**
 * Runs the model's tool calls in parallel and returns their results for it. Only tools that were offered run; a name taken from a
 * document is no tool. A failure or timeout is reported to the model, and the turn continues.
 */
function runTools(calls: readonly ToolCall[], tools: readonly TurnTool[], surroundings: ToolSurroundings): Promise<string[]> {
  return Promise.all(
    calls.map(async (call, place) => {
      if (place >= callsMax) return `Not done: at most ${callsMax} tools at a time.`;
      const tool = tools.find(({ specification }) => specification.name === call.name);
      if (!tool) return 'There is no such tool.';
      const running = tool.run(call.arguments, surroundings).catch(() => 'The tool failed. Go on without it.');
      const told = await within(tool.timeoutMs ?? toolMs, running, () => 'The tool took too long. Go on without it.');
      return told.slice(0, resultLettersMax);
    }),
  );
}
