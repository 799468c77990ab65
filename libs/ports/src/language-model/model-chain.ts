import { CircuitBreaker, type CircuitBreakerOptions, ProviderFailure } from '../provider-failure';
import { firstThatWorks, TimelyItems } from '../resilience';
import type { LanguageModel, ModelEvent, ModelRequest, ModelUsage } from './language-model';

interface ModelPatience {
  /** How long a model may take for its first word or thought before the next one is asked. */
  readonly firstEventMs: number;
  /** How long it may pause after that. */
  readonly gapMs: number;
}

const usualPatience: ModelPatience = { firstEventMs: 8000, gapMs: 15_000 };

/**
 * Several models as one. If a model fails before it has emitted anything, the next one is asked; after that the caller gets the
 * failure, because two models would contradict each other in one answer. A model that keeps failing is skipped for a while. A model
 * that is thinking is not late, and the thoughts of one that then fails are reported, since they are paid.
 */
export class ModelChain implements LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModel['capabilities'];
  private readonly candidates: readonly { readonly engine: LanguageModel; readonly breaker: CircuitBreaker }[];
  private readonly patience: ModelPatience;

  constructor(
    [first, ...others]: readonly [LanguageModel, ...LanguageModel[]],
    options: Partial<ModelPatience> & CircuitBreakerOptions = {},
    breakerOf = (_model: LanguageModel): CircuitBreaker => new CircuitBreaker(options),
  ) {
    const models = [first, ...others];
    this.name = models.map(({ name }) => name).join(', ');
    this.capabilities = {
      contextTokens: Math.min(...models.map(({ capabilities }) => capabilities.contextTokens)),
      hasTools: models.some(({ capabilities }) => capabilities.hasTools),
      isExtractive: models.some(({ capabilities }) => capabilities.isExtractive ?? false),
      areAllExtractive: models.every(({ capabilities }) => capabilities.isExtractive ?? false),
    };
    this.candidates = models.map((engine) => ({ engine, breaker: breakerOf(engine) }));
    this.patience = { ...usualPatience, ...options };
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const begin = (model: LanguageModel, breaker: CircuitBreaker) => this.begun(model, { request, signal, breaker });
    const { onFailure } = request;
    const { events, first, breaker, stop } = await firstThatWorks(this.candidates, begin, { name: this.name, onFailure });
    let isDone = false;
    try {
      yield first;
      for (let next = await events.next(); !next.done; next = await events.next()) yield next.value;
      isDone = true;
    } catch (failure) {
      breaker.learnFrom(failure);
      if (failure instanceof ProviderFailure) onFailure?.(failure);
      throw failure;
    } finally {
      events.end();
      if (isDone) stop.forget();
      else stop.now();
    }
  }

  private async begun(model: LanguageModel, { request, signal, breaker }: ModelAttempt): Promise<Begun> {
    const stop = new Stop(signal);
    const silent = new SilentWork(request);
    const items = model.stream(silent.request, stop.signal)[Symbol.asyncIterator]();
    const within = (timeoutMs: number) => silent.extending(new TimelyItems(items, { provider: model.name, timeoutMs }));
    const beginning = within(this.patience.firstEventMs);
    try {
      const first = await firstWords(model, beginning, silent);
      request.onBegin?.(model.name);
      return { events: within(this.patience.gapMs), first, breaker, stop };
    } catch (failure) {
      stop.now(failure);
      // If the reader left, it may still be asked what was done until then.
      if (failure instanceof ProviderFailure && !signal.aborted) silent.tellSpent(model.name);
      throw failure;
    } finally {
      beginning.end();
    }
  }
}

/** Stops a model when its caller leaves or when we stop. Cheaper per turn than a signal combined from two. */
class Stop {
  private readonly stopping = new AbortController();
  private readonly follow: () => void;

  constructor(private readonly caller: AbortSignal) {
    this.follow = () => this.now(caller.reason);
    caller.addEventListener('abort', this.follow, { once: true });
    if (caller.aborted) this.follow();
  }

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  now(reason?: unknown): void {
    this.forget();
    this.stopping.abort(reason);
  }

  /** The model has finished by itself. */
  forget(): void {
    this.caller.removeEventListener('abort', this.follow);
  }
}

interface ModelAttempt {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly breaker: CircuitBreaker;
}

/** What a model does before it says anything: its thoughts, and the usage it reports. */
class SilentWork {
  readonly request: ModelRequest;
  usage: ModelUsage | null = null;
  private hasThought = false;
  private waiting: TimelyItems<ModelEvent> | undefined;

  constructor(private readonly asked: ModelRequest) {
    this.request = { ...asked, onThought: (text) => this.think(text) };
  }

  /** From now on each thought gives these items their full time again. */
  extending(items: TimelyItems<ModelEvent>): TimelyItems<ModelEvent> {
    this.waiting = items;
    return items;
  }

  /** A model that wrote nothing at all costs nothing, though it read the prompt. */
  tellSpent(model: string): void {
    const hasWorked = this.hasThought || (this.usage !== null && this.usage.completionTokens > 0);
    if (hasWorked) this.asked.onSpent?.({ model, usage: this.usage });
  }

  private think(text: string): void | Promise<void> {
    this.hasThought = true;
    this.waiting?.extend();
    return this.asked.onThought?.(text);
  }
}

/**
 * The first event that says something. An answer without one is a failure of this request: a filtered question or one thought about
 * for too long must not make everyone else skip the model.
 */
async function firstWords(model: LanguageModel, events: TimelyItems<ModelEvent>, silent: SilentWork): Promise<ModelEvent> {
  const first = await events.next();
  if (!first.done) {
    if (first.value.type !== 'finish') return first.value;
    silent.usage = first.value.usage;
  }
  throw new ProviderFailure(model.name, 'it answered nothing', { retryable: false });
}

/** An answer that has begun. */
interface Begun {
  readonly events: TimelyItems<ModelEvent>;
  readonly first: ModelEvent;
  readonly breaker: CircuitBreaker;
  readonly stop: Stop;
}
