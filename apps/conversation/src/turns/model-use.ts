import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { LanguageModel, ModelRequest, ModelUsage, ProviderFailure } from '@parley/ports';
import type { Metric, ProviderTroubles, ServiceMetrics } from '@parley/service-kit';

const metrics = {
  uses: {
    name: 'parley_model_requests_total',
    help: 'Requests to language models, by how they ended.',
    labels: ['provider', 'outcome'],
  },
  firstToken: { name: 'parley_model_first_token_seconds', help: 'From a request to its first token.', labels: ['provider'] },
  answer: { name: 'parley_model_answer_seconds', help: 'From a request to the end of its answer.', labels: ['provider'] },
  tokens: { name: 'parley_model_tokens_total', help: 'Tokens that models read and wrote.', labels: ['provider', 'kind'] },
} as const satisfies Record<string, Metric<string>>;

/** OpenTelemetry's names of providers, if they differ from ours. */
const conventionalNames: Readonly<Record<string, string>> = { google: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/** Records one request to a language model in metrics, and as a span by OpenTelemetry's conventions for generative models. */
export class ModelUse {
  outcome: 'answered' | 'left' | 'failed' = 'left';
  private startedAt = performance.now();
  private span: Span | undefined;
  private failure: ProviderFailure['kind'] = 'UNAVAILABLE';

  constructor(
    private model: Pick<LanguageModel, 'name'>,
    private readonly service: ServiceMetrics,
    private readonly troubles: ProviderTroubles,
  ) {}

  /** Not earlier: a request that cannot be paid is never sent, so it has neither a duration nor a span. */
  start(): void {
    this.startedAt = performance.now();
    if (trace.getActiveSpan()?.isRecording())
      this.span = trace.getTracer('parley.models').startSpan('chat', { kind: SpanKind.CLIENT });
  }

  begin(name: string): void {
    this.model = { name };
    this.service.time(metrics.firstToken, { provider: this.provider }, this.seconds);
    this.span?.addEvent('first token');
  }

  /** A model failed; another may still answer. */
  fail(failure: ProviderFailure): void {
    const { provider, kind } = failure;
    this.service.count(metrics.uses, { provider: providerIn(provider), outcome: 'failed' });
    this.troubles.note(failure, { model: failure.provider });
    this.outcome = 'failed';
    this.failure = kind;
  }

  /** Nothing answered: also if no model was asked, because all of them have failed too often. */
  failAltogether(failure: ProviderFailure): void {
    if (this.outcome !== 'failed') this.fail(failure);
  }

  /** Counts tokens that produced no part of the answer. */
  spend(model: string, { promptTokens, completionTokens }: ModelUsage): void {
    const provider = providerIn(model);
    this.service.count(metrics.tokens, { provider, kind: 'prompt' }, promptTokens);
    this.service.count(metrics.tokens, { provider, kind: 'completion' }, completionTokens);
  }

  end({ temperature, tokensMax }: ModelRequest, used: ModelUsage | undefined): void {
    const { provider, outcome } = this;
    if (outcome !== 'failed') this.service.count(metrics.uses, { provider, outcome });
    if (outcome === 'answered') this.service.time(metrics.answer, { provider }, this.seconds);
    if (used) this.spend(this.model.name, used);
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
