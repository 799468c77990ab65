import { serviceNames as services } from '@parley/contracts';

/** Samples of one series, a minute apart, in promtool's notation: `0+5x20` begins at 0 and grows by 5 twenty times. */
type Samples = Readonly<Record<string, string>>;

export interface Alert {
  readonly name: string;
  /** critical wakes somebody; warning can wait until the morning. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  readonly forMinutes: number;
  readonly summary: string;
  /** Twenty minutes in which it fires, and twenty in which it must not. */
  readonly fires: Samples;
  readonly quiet: Samples;
  /** Twenty minutes that begin with its case and recover at once: at their end it no longer fires. */
  readonly over?: Samples;
}

const publicRequests = (code = '') => `parley_requests_total{service="gateway",subject=~"[A-Z]+ /.*"${code}}`;
const publicSeries = (code: string) => `parley_requests_total{service="gateway",subject="POST /api/v1/ttt",code="${code}"}`;
const bucket = (name: string, labels: string, le: string) => `${name}_bucket{${labels},le="${le}"}`;
const steady = (value: number) => `${value}x20`;

const upOf = (names: readonly string[]): Samples =>
  Object.fromEntries(names.map((name) => [`up{job="parley",component="${name}",instance="a"}`, steady(1)]));

/** What an installation is watched for. Each has a section of its name in docs/runbooks.md. */
export const alerts: readonly Alert[] = [
  {
    name: 'ParleyInstanceDown',
    severity: 'critical',
    expr: 'up{job="parley"} == 0',
    forMinutes: 2,
    summary: '{{ $labels.component }} on {{ $labels.instance }} does not answer on its admin port.',
    fires: { 'up{job="parley",component="speech",instance="a"}': steady(0) },
    quiet: { 'up{job="parley",component="speech",instance="a"}': '1 1 0 1 1x16' },
  },
  {
    name: 'ParleyServiceGone',
    severity: 'critical',
    // A stopped container leaves the DNS, and with it the list of targets: there is no up that could be 0.
    expr: services.map((service) => `absent(up{job="parley",component="${service}"})`).join(' or '),
    forMinutes: 2,
    summary: '{{ $labels.component }} has no process at all: nothing answers its requests.',
    fires: upOf(services.filter((service) => service !== 'team-sales')),
    quiet: upOf(services),
  },
  reachAlert('ParleyPostgresAway', 'parley_database_reachable', 'Postgres does not answer'),
  reachAlert('ParleyNatsAway', 'parley_messaging_reachable', 'NATS does not deliver to'),
  {
    name: 'ParleyPublicErrors',
    severity: 'critical',
    expr: `sum(rate(${publicRequests(',code=~"5.."')}[5m])) / sum(rate(${publicRequests()}[5m])) > 0.02`,
    forMinutes: 5,
    summary: 'More than 2 % of the requests to the public API fail on our side.',
    fires: { [publicSeries('200')]: '0+90x20', [publicSeries('503')]: '0+10x20' },
    quiet: { [publicSeries('200')]: '0+999x20', [publicSeries('503')]: '0+1x20', [publicSeries('404')]: '0+500x20' },
  },
  {
    name: 'ParleyPublicSlow',
    severity: 'warning',
    expr: `histogram_quantile(0.95, sum by (le) (rate(parley_request_duration_seconds_bucket{service="gateway",subject=~"GET /.*"}[5m]))) > 1`,
    forMinutes: 10,
    summary: 'One read in twenty takes longer than a second at the public API.',
    fires: gatewayReads('0+50x20'),
    quiet: gatewayReads('0+99x20'),
  },
  {
    name: 'ParleyUnforeseenFailures',
    severity: 'warning',
    expr: 'sum by (service) (increase(parley_requests_total{code="INTERNAL"}[10m])) > 5',
    forMinutes: 1,
    summary: '{{ $labels.service }} fails in a way that nobody foresaw.',
    fires: { 'parley_requests_total{service="speech",subject="speech.say",code="INTERNAL"}': '0+2x20' },
    quiet: { 'parley_requests_total{service="speech",subject="speech.say",code="SERVICE_UNAVAILABLE"}': '0+2x20' },
  },
  {
    name: 'ParleyOutboxBehind',
    severity: 'warning',
    // One event that NATS refuses is noticed by its age. Of a busy outbox, the oldest is seconds old.
    expr: 'max by (service) (parley_outbox_pending) > 1000 or max by (service) (parley_outbox_oldest_seconds) > 120',
    forMinutes: 5,
    summary: '{{ $labels.service }} holds events that NATS does not take.',
    fires: { 'parley_outbox_pending{service="gateway"}': '1+0x20', 'parley_outbox_oldest_seconds{service="gateway"}': '0+60x20' },
    quiet: {
      'parley_outbox_pending{service="gateway"}': '0 5000 0x18',
      'parley_outbox_oldest_seconds{service="gateway"}': '0 60 0x18',
    },
  },
  {
    name: 'ParleyEventsPutAside',
    severity: 'warning',
    expr: 'max by (service) (parley_outbox_dead) > 0',
    forMinutes: 1,
    summary: '{{ $labels.service }} has put events aside that the broker refused.',
    fires: { 'parley_outbox_dead{service="gateway"}': steady(1) },
    quiet: { 'parley_outbox_dead{service="gateway"}': steady(0) },
  },
  {
    name: 'ParleyEventsStuck',
    severity: 'critical',
    expr: 'max by (service) (parley_events_stuck_seconds) > 300',
    forMinutes: 2,
    summary: 'An event for {{ $labels.service }} has waited more than five minutes.',
    fires: { 'parley_events_stuck_seconds{service="dashboards"}': '0+60x20' },
    quiet: { 'parley_events_stuck_seconds{service="dashboards"}': '0 60 120 0x17' },
  },
  {
    name: 'ParleyEventsBacklog',
    severity: 'warning',
    expr: 'max by (service) (parley_events_waiting) > 10000',
    forMinutes: 10,
    summary: 'More than 10,000 events wait for {{ $labels.service }}.',
    fires: { 'parley_events_waiting{service="dashboards"}': steady(20_000) },
    quiet: { 'parley_events_waiting{service="dashboards"}': '0 20000x5 0x14' },
  },
  {
    name: 'ParleyPoolExhausted',
    severity: 'critical',
    // A burst may wait for a moment; here somebody waited at every scrape.
    expr: 'min_over_time(parley_pool_waiting[3m]) > 0',
    forMinutes: 2,
    summary: 'Callers of {{ $labels.service }} on {{ $labels.instance }} wait for a Postgres connection.',
    fires: { 'parley_pool_waiting{service="gateway",instance="a"}': steady(1) },
    quiet: { 'parley_pool_waiting{service="gateway",instance="a"}': '0 7 7 0 300 0 7 7 0x13' },
  },
  {
    name: 'ParleyRegularWorkFails',
    severity: 'warning',
    // The log says it once, when it begins. Work may be done every ten minutes only, so it is counted for an hour; the second condition
    // ends the alert soon after a recovery.
    expr:
      'sum by (service, work) (increase(parley_regular_work_failures_total[1h])) > 5 and ' +
      'sum by (service, work) (increase(parley_regular_work_failures_total[15m])) > 0',
    forMinutes: 5,
    summary: '{{ $labels.service }} fails again and again at: {{ $labels.work }}.',
    fires: { 'parley_regular_work_failures_total{service="gateway",work="expired holds"}': '0+1x20' },
    quiet: { 'parley_regular_work_failures_total{service="gateway",work="expired holds"}': '0 1x19' },
    over: { 'parley_regular_work_failures_total{service="gateway",work="expired holds"}': '0 3 6 9x17' },
  },
  {
    name: 'ParleyEventLoopLate',
    severity: 'warning',
    expr: 'parley_event_loop_delay_p99_seconds > 0.1',
    forMinutes: 5,
    summary: 'The event loop of {{ $labels.component }} on {{ $labels.instance }} is late: sound will stutter.',
    fires: { 'parley_event_loop_delay_p99_seconds{service="process",component="speech",instance="a"}': '0.4x20' },
    quiet: { 'parley_event_loop_delay_p99_seconds{service="process",component="speech",instance="a"}': '0.02 0.4 0.02x18' },
  },
  {
    name: 'ParleySpeechProviderFails',
    severity: 'critical',
    expr: 'sum by (provider) (rate(parley_speech_provider_requests_total{outcome="failed"}[5m])) / sum by (provider) (rate(parley_speech_provider_requests_total[5m])) > 0.1',
    forMinutes: 5,
    summary: 'More than a tenth of the requests to {{ $labels.provider }} fail.',
    fires: providerUses({ spoken: '0+8x20', failed: '0+2x20' }),
    quiet: providerUses({ spoken: '0+99x20', failed: '0+1x20' }),
  },
  {
    name: 'ParleyModelProviderFails',
    severity: 'critical',
    expr: 'sum by (provider) (rate(parley_model_requests_total{outcome="failed"}[5m])) / sum by (provider) (rate(parley_model_requests_total[5m])) > 0.1',
    forMinutes: 5,
    summary: 'More than a tenth of the requests to the language models of {{ $labels.provider }} fail.',
    fires: modelUses({ answered: '0+8x20', failed: '0+2x20' }),
    quiet: modelUses({ answered: '0+99x20', failed: '0+1x20', left: '0+30x20' }),
  },
  {
    name: 'ParleyAnswersLate',
    severity: 'warning',
    expr: 'histogram_quantile(0.95, sum by (le) (rate(parley_voice_silence_seconds_bucket{part="total"}[10m]))) > 2.5',
    forMinutes: 10,
    summary: 'One caller in twenty waits longer than 2.5 s for an answer.',
    fires: silence('0+50x20'),
    quiet: silence('0+99x20'),
  },
  {
    name: 'ParleySoundLate',
    severity: 'warning',
    expr: 'sum(rate(parley_voice_frames_total{outcome="late"}[5m])) / sum(rate(parley_voice_frames_total[5m])) > 0.01',
    forMinutes: 5,
    summary: 'More than one frame of sound in a hundred comes late.',
    fires: frames('0+30x20'),
    quiet: frames('0+1x20'),
  },
];

/** A store that no replica of a service reaches. Requests fail at once, so it does not wait for a share of them. */
function reachAlert(name: string, metric: string, trouble: string): Alert {
  const replica = (instance: string) => `${metric}{service="gateway",instance="${instance}"}`;
  return {
    name,
    severity: 'critical',
    expr: `max by (service) (${metric}) == 0`,
    forMinutes: 1,
    summary: `${trouble} any replica of {{ $labels.service }}.`,
    fires: { [replica('a')]: steady(0), [replica('b')]: steady(0) },
    // One replica that starts or was cut off, and a restart of the store.
    quiet: { [replica('a')]: steady(0), [replica('b')]: '1 1 0 1x17' },
    over: { [replica('a')]: '0 0 0 1x17' },
  };
}

function gatewayReads(underOneSecond: string): Samples {
  const labels = 'service="gateway",subject="GET /api/v1/things"';
  const of = (le: string) => bucket('parley_request_duration_seconds', labels, le);
  return { [of('1')]: underOneSecond, [of('2.5')]: '0+100x20', [of('+Inf')]: '0+100x20' };
}

function providerUses(outcomes: Readonly<Record<string, string>>): Samples {
  return usesOf('parley_speech_provider_requests_total{service="speech",provider="deepgram",kind="speak"', outcomes);
}

function modelUses(outcomes: Readonly<Record<string, string>>): Samples {
  return usesOf('parley_model_requests_total{service="conversation",provider="openai"', outcomes);
}

function usesOf(named: string, outcomes: Readonly<Record<string, string>>): Samples {
  const series = (outcome: string) => `${named},outcome="${outcome}"}`;
  return Object.fromEntries(Object.entries(outcomes).map(([outcome, samples]) => [series(outcome), samples]));
}

function silence(underLimit: string): Samples {
  const of = (le: string) => bucket('parley_voice_silence_seconds', 'service="speech",part="total"', le);
  return { [of('2.5')]: underLimit, [of('5')]: '0+100x20', [of('+Inf')]: '0+100x20' };
}

function frames(late: string): Samples {
  const of = (outcome: string) => `parley_voice_frames_total{service="speech",outcome="${outcome}"}`;
  return { [of('in time')]: '0+900x20', [of('late')]: late };
}
