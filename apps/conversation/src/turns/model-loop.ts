import { Injectable } from '@nestjs/common';
import { type AgentRuntime, Fault, isOutOfCredits } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import {
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
  ProviderFailure,
  readOf,
  textOfCalls,
  textsRead,
  type SpentInVain,
  type ToolCall,
  within,
} from '@parley/ports';
import { countTokens } from '@parley/providers/token-count';
import { Logger, ProviderTroubles, ServiceMetrics } from '@parley/service-kit';
import { AnswerGuard, inPieces } from '../answers/answer-guard';
import { endConversation, type ToolSurroundings, type TurnTool } from '../answers/toolbox';
import { type Draft, TurnPayment } from './draft';
import { ModelUse } from './model-use';

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
/** Characters per token: the minimum and the maximum in nearly all languages. */
const lettersPerTokenMin = 2;
/** Tools are JSON, mostly of English words: some four letters a token. */
const toolLettersPerTokenMin = 3;
const lettersPerTokenTypicalMax = 4;
/** A reported count with more letters per token than this is not believed. */
const lettersPerTokenPlausibleMax = 100;
const answerLettersMax = 20_000;
/** No model is asked for less: agents cannot set `MaxTokens` lower either. */
const answerTokensMin = 16;
/** More than any model reads. */
const reportedTokensMax = 10_000_000;

/** Lets a model answer and call tools, until it is done or has used up its steps. */
@Injectable()
export class ModelLoop {
  private readonly troubles: ProviderTroubles;

  constructor(
    private readonly payment: TurnPayment,
    private readonly metrics: ServiceMetrics,
    log: Logger,
  ) {
    this.troubles = new ProviderTroubles(log, 'A language model fails');
  }

  /** Holds the maximum cost of the first model step before anything else is spent on the turn. */
  async affordFirst(prompt: ModelRequest, { capabilities }: LanguageModel, draft: Draft): Promise<void> {
    await this.affordStep(draft, new Step(prompt, capabilities));
  }

  /** Holds the maximum cost of a step. Where credits do not cover it, its answer has to be shorter. */
  private async affordStep(draft: Draft, step: Step): Promise<void> {
    const { totalTokens: used } = draft.tokenUsage;
    const tokens = used + step.tokensMax;
    await this.payment.afford(draft, tokens, { used, tokensMin: used + step.promptTokensMax + answerTokensMin });
    const short = this.payment.isBeyondHold(draft, tokens) ? tokens - draft.payment.tokensHeld : 0;
    if (short > 0) step.shorten(short);
  }

  /** Holds the cost of a stored answer before any of it is said. */
  async affordStored(draft: Draft, { promptTokens, completionTokens }: ModelUsage): Promise<void> {
    const { totalTokens } = draft.tokenUsage;
    await this.payment.afford(draft, totalTokens + promptTokens + completionTokens, { used: totalTokens });
  }

  async *run(loop: Loop): AsyncGenerator<string> {
    const messages: ModelMessage[] = [...loop.prompt.messages];
    let before: Step | undefined;
    for (let stepNumber = 1; stepNumber <= stepsMax; stepNumber++) {
      // The last step has no tools, so the model can only answer.
      const offered = stepNumber < stepsMax ? loop.prompt.tools : [];
      const use = new ModelUse(loop.model, this.metrics, this.troubles);
      const step = await this.affordNext(loop, use, { messages, tools: offered }, before);
      if (!step) return;
      before = step;
      const { tools } = step.request;
      use.start();
      try {
        yield* this.listen(loop, step);
        use.outcome = 'answered';
        if (loop.draft.isUnanswered) loop.draft.isKnown = false;
      } catch (error) {
        if (error instanceof ProviderFailure) use.failAltogether(error);
        throw error;
      } finally {
        const used = step.hasProduced || isLeft(loop.call) ? step.usage() : undefined;
        if (used) loop.draft.spend(used);
        use.end(step.request, used);
      }
      if (tools.length === 0) return requireWords(loop, step);
      if (step.calls.length === 0) return;
      messages.push({ role: 'assistant', text: step.text, toolCalls: step.calls }, ...(await this.answersTo(step.calls, loop)));
      if (step.text.trim() !== '' && step.calls.every(({ name }) => name === endConversation)) return;
    }
  }

  /**
   * The next step, with its cost held. Where credits no longer cover one that reads all tools, the model reads none, and answers with
   * what it has: the steps before are paid, and would be for nothing. Undefined if not even that is covered, but something was said.
   */
  private async affordNext(
    loop: Loop,
    use: ModelUse,
    input: Pick<ModelRequest, 'messages' | 'tools'>,
    before: Step | undefined,
  ): Promise<Step | undefined> {
    const step = this.stepOf(loop, use, input, before);
    try {
      await this.affordStep(loop.draft, step);
      return step;
    } catch (error) {
      if (!isOutOfCredits(error)) throw error;
      if (before && input.tools.length > 0) return await this.affordNext(loop, use, { ...input, tools: [] }, before);
      if (loop.draft.answer === '') throw error;
      return undefined;
    }
  }

  /** One request to the model, with a record of everything that has to be paid. */
  private stepOf(
    { prompt, model, draft }: Loop,
    use: ModelUse,
    input: Pick<ModelRequest, 'messages' | 'tools'>,
    before: Step | undefined,
  ): Step {
    const request: ModelRequest = {
      ...prompt,
      ...input,
      onBegin: (name) => use.begin(name),
      onFailure: (failure) => {
        draft.noteFailure(failure);
        use.fail(failure);
      },
      onThought: (text) => {
        step.thoughts += text;
        return this.raiseHoldIfExceeded(draft, step);
      },
      onSpent: (spent) => {
        const usage = step.inVain(spent);
        draft.spend(usage);
        use.spend(spent.model, usage);
      },
    };
    const step = new Step(request, model.capabilities, before);
    return step;
  }

  /** Raises the hold if what was produced so far exceeds it. Undefined if not, since a promise for every word would delay it. */
  private raiseHoldIfExceeded(draft: Draft, step: Step): Promise<void> | undefined {
    draft.promptTokensMin = draft.usage.promptTokens + step.promptTokensMin;
    const spent = step.tokensMin + draft.tokenUsage.totalTokens;
    return this.payment.isBeyondHold(draft, spent) ? this.payment.afford(draft, spent, { used: spent }) : undefined;
  }

  /** Ends an answer that the balance does not cover like one that reached its maximum length: what is paid is delivered. */
  private async *listen(loop: Loop, step: Step): AsyncGenerator<string> {
    const { draft } = loop;
    const guard = new AnswerGuard(step.request, draft.answer);
    let shortage: Fault | undefined;
    try {
      if ((yield* this.hear(loop, step, guard)) === 'STOPPED') return void step.calls.splice(0);
    } catch (error) {
      if (!isOutOfCredits(error)) throw error;
      shortage = error;
      step.calls.splice(0);
    }
    const rest = guard.rest();
    draft.isUnanswered = guard.saysUnknown;
    if (rest !== '') yield rest;
    // A caller is not left without any answer, and silence cannot be spoken.
    const isEmptied = rest === '' && draft.answer === '' && step.text.trim() !== '' && step.calls.length === 0 && !shortage;
    if (isEmptied && !guard.saysUnknown) yield guard.refusal;
    if (shortage && draft.answer === '') throw shortage;
  }

  private async *hear({ model, draft, call }: Loop, step: Step, guard: AnswerGuard): AsyncGenerator<string, 'ENDED' | 'STOPPED'> {
    for await (const event of model.stream(step.request, call.signal)) {
      if (event.type === 'tool-call') step.calls.push(event.call);
      if (event.type === 'finish') step.reported = event.usage;
      if (event.type !== 'text') continue;
      step.text += event.text;
      const extended = this.raiseHoldIfExceeded(draft, step);
      const shortage = extended && (await shortageOf(extended));
      const text = shortage ? step.cut(event.text, draft.payment.tokensHeld - draft.tokenUsage.totalTokens) : event.text;
      for await (const piece of inPieces(text)) {
        const allowed = guard.take(piece);
        if (allowed !== '') yield allowed;
        draft.isUnanswered = guard.saysUnknown;
        if (guard.hasStopped || draft.answer.length > answerLettersMax) return 'STOPPED';
      }
      if (shortage) throw shortage;
      // What was said is kept, since it is charged. If the whole long output was filtered out, nothing was answered.
      if (step.text.length <= answerLettersMax) continue;
      if (draft.answer === '') throw tooLong(model.name);
      return 'STOPPED';
    }
    return 'ENDED';
  }

  private async answersTo(calls: readonly ToolCall[], { tools, agent, draft, call }: Loop): Promise<ModelMessage[]> {
    const results = await runTools(calls, tools, { agent, draft, call });
    if (calls.some(({ name }) => name !== endConversation)) draft.isKnown = true;
    return calls.map(({ id, name }, place) => ({ role: 'tool', callId: id, name, text: results[place] ?? '' }));
  }
}

/** Throws if the model only called tools, unless one of them ended or transferred the conversation. */
function requireWords({ model, draft }: Loop, { calls }: Step): void {
  const isOver = draft.wantsToEnd || draft.transferTo !== undefined;
  if (calls.length > 0 && draft.answer === '' && !isOver)
    throw new ProviderFailure(model.name, 'it only calls tools', { retryable: false });
}

/** The refusal of an extension, if it was refused for lack of credits. */
async function shortageOf(extension: Promise<void>): Promise<Fault | undefined> {
  try {
    await extension;
    return undefined;
  } catch (error) {
    if (isOutOfCredits(error)) return error;
    throw error;
  }
}

function tooLong(model: string): ProviderFailure {
  return new ProviderFailure(model, 'it does not stop talking', { retryable: false });
}

/** One request to a model and its outcome. */
class Step {
  text = '';
  thoughts = '';
  readonly calls: ToolCall[] = [];
  reported: ModelUsage | null = null;

  private readonly promptLetters: number;
  private readonly toolLetters: number;

  constructor(
    public request: ModelRequest,
    private readonly kind: LanguageModel['capabilities'],
    private readonly before?: Step,
  ) {
    const { texts, ofTools } = textsRead(request, kind);
    this.toolLetters = lettersOf(ofTools);
    this.promptLetters = lettersOf(texts) + this.toolLetters;
  }

  /** Has the model asked for an answer that is shorter by this many tokens. */
  shorten(tokens: number): void {
    this.request = { ...this.request, tokensMax: this.request.tokensMax - tokens };
  }

  /** Whether the model has produced anything; a failure before that costs nothing. */
  get hasProduced(): boolean {
    return this.text !== '' || this.thoughts !== '' || this.calls.length > 0 || this.reported !== null;
  }

  /** The maximum number of tokens that the step should use. */
  get tokensMax(): number {
    return this.promptTokensMax + this.request.tokensMax;
  }

  /** By letters, or by what the provider counted of the step before. */
  get promptTokensMax(): number {
    const { promptLetters, toolLetters, before } = this;
    const byLetters = tokensMaxOf(promptLetters - toolLetters) + Math.ceil(toolLetters / toolLettersPerTokenMin);
    if (!before?.reported) return byLetters;
    const more = tokensMaxOf(Math.max(0, promptLetters - before.promptLetters));
    return Math.min(byLetters, before.usage().promptTokens + more);
  }

  get promptTokensMin(): number {
    return Math.ceil(this.promptLetters / lettersPerTokenTypicalMax);
  }

  /** The minimum number that it has used; a model may write more than it was asked for. */
  get tokensMin(): number {
    return Math.ceil((this.promptLetters + this.thoughts.length + this.text.length) / lettersPerTokenTypicalMax);
  }

  /** Shortens the newest text, between words, to what these tokens cover. Only what is left of it is delivered and charged. */
  cut(newest: string, tokens: number): string {
    const letters = Math.max(0, newest.length - (this.tokensMin - tokens) * lettersPerTokenTypicalMax);
    const kept = newest.slice(0, newest.lastIndexOf(' ', letters) + 1);
    this.text = this.text.slice(0, this.text.length - newest.length) + kept;
    return kept;
  }

  /** The provider's count; ours if it reported none, or an implausible one, or was cut off before. */
  usage(): ModelUsage {
    return this.usageFor(`${this.thoughts}${this.text}\n${textOfCalls(this.calls)}`, this.reported);
  }

  /** What a model used that said nothing. Its thoughts do not count as the next model's. */
  inVain({ usage }: SpentInVain): ModelUsage {
    const { thoughts } = this;
    this.thoughts = '';
    return this.usageFor(thoughts, usage);
  }

  private usageFor(written: string, reported: ModelUsage | null): ModelUsage {
    if (reported && isBelievable(reported, written)) return reported;
    return { promptTokens: countTokens(readOf(this.request, this.kind)), completionTokens: countTokens(written) };
  }
}

function lettersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length + 1, 0);
}

function tokensMaxOf(letters: number): number {
  return Math.ceil(letters / lettersPerTokenMin);
}

/** Whether the reader left, in which case the prompt is charged. A timeout is our failure and is not. */
function isLeft({ signal }: Call): boolean {
  const reason: unknown = signal.reason;
  return signal.aborted && !(reason instanceof Fault && reason.code === 'DEADLINE_EXCEEDED');
}

/** A prompt has at least one token, and so has any output. */
function isBelievable({ promptTokens, completionTokens }: ModelUsage, written: string): boolean {
  const isCount = (tokens: number) => Number.isInteger(tokens) && tokens >= 0 && tokens <= reportedTokensMax;
  return (
    isCount(promptTokens) &&
    isCount(completionTokens) &&
    promptTokens > 0 &&
    written.length <= completionTokens * lettersPerTokenPlausibleMax
  );
}

/**
 * Runs the model's tool calls in parallel and returns their results for it. Only offered tools run, whatever name the model calls. A
 * failure or timeout is reported to the model, and the turn continues.
 */
function runTools(calls: readonly ToolCall[], tools: readonly TurnTool[], surroundings: ToolSurroundings): Promise<string[]> {
  return Promise.all(
    calls.map(async (call, place) => {
      if (place >= callsMax) return `Not done: at most ${callsMax} tools at a time.`;
      const tool = tools.find(({ specification }) => specification.name === call.name);
      if (!tool) return 'There is no such tool.';
      const running = tool.run(call.arguments, surroundings).catch(() => 'The tool failed. Go on without it.');
      const result = await within(tool.timeoutMs ?? toolMs, running, () => 'The tool took too long. Go on without it.');
      return result.slice(0, resultLettersMax);
    }),
  );
}
