import { checkConfiguration, ConnectionVariables, DatabaseVariables, describeConfiguration } from '@parley/service-kit';
import { services } from './platform';

const required = {
  NATS_URL: 'nats://127.0.0.1:4222',
  PARLEY_CALLERS: 'gateway:tRC3',
  DATABASE_URL: 'postgres://parley:parley@127.0.0.1/parley',
  PARLEY_SECRET_KEY: 'k'.repeat(32),
};
const schemas = [ConnectionVariables, DatabaseVariables, ...services.map(({ config }) => config)];

/** What any process says of these variables before it opens anything; empty if it would start. */
function refusal(given: Readonly<Record<string, string>>): string {
  try {
    checkConfiguration(schemas, { ...required, ...given });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const without = (variable: string, other: string) => `${variable} is set without ${other}: expected both, or neither`;
const together: readonly (readonly [variable: string, needs: string, value: string])[] = [
  ['NATS_USER', 'NATS_PASSWORD', 'gateway'],
  ['NATS_PASSWORD', 'NATS_USER', 'a-long-word'],
  ['NATS_CERT_FILE', 'NATS_KEY_FILE', __filename],
  ['NATS_KEY_FILE', 'NATS_CERT_FILE', __filename],
  ['LLM_BASE_URL', 'LLM_MODEL', 'http://vllm:8000/v1'],
  ['LLM_MODEL', 'LLM_BASE_URL', 'qwen3-8b'],
  ['LLM_API_KEY', 'LLM_BASE_URL', 'sk'],
  ['OPENAI_SPEECH_BASE_URL', 'OPENAI_SPEECH_API_KEY', 'http://speaches:8000/v1'],
  ['AZURE_SPEECH_KEY', 'AZURE_SPEECH_REGION', 'k'],
  ['AZURE_SPEECH_REGION', 'AZURE_SPEECH_KEY', 'centralindia'],
  ['S3_ENDPOINT', 'S3_BUCKET', 'http://minio:9000'],
  ['S3_REGION', 'S3_BUCKET', 'eu-central-1'],
  ['S3_ACCESS_KEY_ID', 'S3_BUCKET', 'AKIA'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'AKIA'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID', 's'],
  ['QDRANT_API_KEY', 'QDRANT_URL', 'k'],
  ['EMBEDDINGS_BASE_URL', 'EMBEDDINGS_API_KEY', 'http://vllm:8000/v1'],
  ['EMBEDDINGS_MODEL', 'EMBEDDINGS_API_KEY', 'text-embedding-3-large'],
  ['EMBEDDINGS_DIMENSIONS', 'EMBEDDINGS_API_KEY', '1536'],
  ['RERANK_MODEL', 'RERANK_BASE_URL', 'BAAI/bge-reranker-v2-m3'],
  ['RERANK_API_KEY', 'RERANK_BASE_URL', 'k'],
  ['RERANK_TIMEOUT', 'RERANK_BASE_URL', '300ms'],
  ['SIP_PORTS_PER_ORGANIZATION', 'SIP_PORTS', '3'],
];

interface Bound {
  readonly given: Readonly<Record<string, string>>;
  readonly line: string;
  readonly taken: Readonly<Record<string, string>>;
}
const bounds: readonly Bound[] = [
  {
    given: { CALL_DRAIN: '25s' },
    line: 'CALL_DRAIN is "25s": expected less than DRAIN_SECONDS, which is 25 by default',
    taken: { CALL_DRAIN: '24s' },
  },
  {
    given: { DRAIN_SECONDS: '10' },
    line: 'CALL_DRAIN is 15s by default: expected less than DRAIN_SECONDS, which is 10',
    taken: { CALL_DRAIN: '9s', DRAIN_SECONDS: '10' },
  },
  {
    given: { CALLS_RESERVED_FOR_CALLERS: '51' },
    line: 'CALLS_RESERVED_FOR_CALLERS is "51": expected at most CALLS_PER_ORGANIZATION, which is 50 by default',
    taken: { CALLS_RESERVED_FOR_CALLERS: '50' },
  },
  {
    given: { CALLS_RESERVED_FOR_CALLERS: '3', CALLS_PER_ORGANIZATION: '2' },
    line: 'CALLS_RESERVED_FOR_CALLERS is "3": expected at most CALLS_PER_ORGANIZATION, which is 2',
    // Campaigns always have one slot: whoever only lowers the limit need not know of the reserve.
    taken: { CALLS_PER_ORGANIZATION: '2' },
  },
  {
    given: { DASHBOARDS_FIGURES_MONTHS: '6' },
    line: 'DASHBOARDS_FACTS_MONTHS is 13 by default: expected at most DASHBOARDS_FIGURES_MONTHS, which is 6',
    taken: { DASHBOARDS_FIGURES_MONTHS: '6', DASHBOARDS_FACTS_MONTHS: '6' },
  },
  {
    given: { REQUEST_TIMEOUT: '5s' },
    line: 'HEADERS_TIMEOUT is 10s by default: expected at most REQUEST_TIMEOUT, which is 5s',
    taken: { REQUEST_TIMEOUT: '5s', HEADERS_TIMEOUT: '5s' },
  },
  {
    given: { ORGANIZATION_PLANS: '7=scale', RATE_LIMIT_PLANS: '{"trial":{}}' },
    line:
      'ORGANIZATION_PLANS is "7=scale": expected pairs of an organization and a plan between commas, such as 7=scale,9=trial; ' +
      '7: RATE_LIMIT_PLANS has no plan scale',
    taken: { ORGANIZATION_PLANS: '7=trial,9=standard', RATE_LIMIT_PLANS: '{"trial":{}}' },
  },
];

describe('variables that depend on each other', () => {
  it.each(together)('%s is refused without %s', (variable, needs, value) => {
    expect(refusal({ [variable]: value }).split('; ')).toContain(without(variable, needs));
  });

  it.each(bounds)('are refused with one line that names both: $line', ({ given, line, taken }) => {
    expect([refusal(given), refusal(taken)]).toEqual([line, '']);
  });

  it('are listed here, as far as their descriptions say so', () => {
    const rule =
      /\b(?:Needs|[Aa]t most|[Ll]ess than|[Aa]t least|[Bb]elow|[Aa]bove|each from) ([A-Z\d]+_[A-Z_\d]+)(?: and ([A-Z\d]+_[A-Z_\d]+))?/g;
    const described = describeConfiguration(services).flatMap(({ variable, description }) =>
      [...description.matchAll(rule)].flatMap(([, ...others]) => others.filter(Boolean).map((other) => `${variable} ${other}`)),
    );
    const listed = [
      ...together.map(([variable, needs]) => `${variable} ${needs}`),
      ...bounds.map(({ line }) => `${/^\w+/.exec(line)?.[0]} ${/(?:than|most|:) ([A-Z\d]+_[A-Z_\d]+)/.exec(line)?.[1]}`),
    ];
    expect([...new Set(described)].sort()).toEqual([...new Set(listed)].sort());
  });
});
