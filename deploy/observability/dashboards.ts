interface Panel {
  readonly title: string;
  readonly unit: 'reqps' | 's' | 'percentunit' | 'short' | 'bytes';
  /** Queries by the legend of their lines. */
  readonly lines: Readonly<Record<string, string>>;
}

const rate = (name: string, labels = '') => `rate(${name}${labels && `{${labels}}`}[$__rate_interval])`;
const quantile = (share: number, name: string, { by = '', labels = '' } = {}) =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (${rate(`${name}_bucket`, labels)}))`;
const publicDoor = 'service="gateway",subject=~"[A-Z]+ /.*"';

const services: readonly Panel[] = [
  {
    title: 'Public requests',
    unit: 'reqps',
    lines: { '{{code}}': `sum by (code) (${rate('parley_requests_total', publicDoor)})` },
  },
  {
    title: 'Public errors on our side',
    unit: 'percentunit',
    lines: {
      // Without a failure there is no such series, and a panel without data looks broken.
      share: `(sum(${rate('parley_requests_total', `${publicDoor},code=~"5.."`)}) or vector(0)) / sum(${rate('parley_requests_total', publicDoor)})`,
    },
  },
  {
    title: 'Public duration',
    unit: 's',
    lines: {
      p50: quantile(0.5, 'parley_request_duration_seconds', { labels: publicDoor }),
      p95: quantile(0.95, 'parley_request_duration_seconds', { labels: publicDoor }),
      p99: quantile(0.99, 'parley_request_duration_seconds', { labels: publicDoor }),
    },
  },
  {
    title: 'Requests by service',
    unit: 'reqps',
    lines: { '{{service}}': `sum by (service) (${rate('parley_requests_total')})` },
  },
  {
    title: 'Faults by service and code',
    unit: 'reqps',
    lines: { '{{service}} {{code}}': `sum by (service, code) (${rate('parley_requests_total', 'code!~"OK|[1-4].."')})` },
  },
  {
    title: 'Duration by service (p95)',
    unit: 's',
    lines: { '{{service}}': quantile(0.95, 'parley_request_duration_seconds', { by: 'service' }) },
  },
  { title: 'Event loop delay (p99)', unit: 's', lines: { '{{instance}}': 'parley_event_loop_delay_p99_seconds' } },
  { title: 'Processor', unit: 'percentunit', lines: { '{{instance}}': rate('parley_cpu_seconds') } },
  { title: 'Memory', unit: 'bytes', lines: { '{{instance}}': 'parley_resident_memory_bytes' } },
  {
    title: 'Postgres connections',
    unit: 'short',
    lines: {
      '{{service}} open': 'sum by (service) (parley_pool_connections)',
      '{{service}} idle': 'sum by (service) (parley_pool_idle)',
      '{{service}} waiting for one': 'sum by (service) (parley_pool_waiting)',
    },
  },
  {
    title: 'Events not yet sent, and put aside',
    unit: 'short',
    lines: {
      '{{service}} to send': 'max by (service) (parley_outbox_pending)',
      '{{service}} put aside': 'max by (service) (parley_outbox_dead)',
    },
  },
  {
    title: 'Events that wait for a service',
    unit: 'short',
    lines: { '{{service}}': 'max by (service) (parley_events_waiting)' },
  },
  {
    title: 'Age of the event that is stuck',
    unit: 's',
    lines: { '{{service}}': 'max by (service) (parley_events_stuck_seconds)' },
  },
  {
    title: 'Lag of figures (p95)',
    unit: 's',
    lines: { '{{facts}}': quantile(0.95, 'parley_dashboards_lag_seconds', { by: 'facts' }) },
  },
  {
    title: 'Time since figures held every turn',
    unit: 's',
    lines: { dashboards: 'min(parley_dashboards_turns_behind_seconds)' },
  },
];

const voice: readonly Panel[] = [
  {
    title: 'Live conversations',
    unit: 'short',
    lines: { open: 'sum(parley_voice_sessions_begun_total) - sum(parley_voice_sessions_ended_total)' },
  },
  {
    title: 'Ends by reason',
    unit: 'reqps',
    lines: { '{{reason}}': `sum by (reason) (${rate('parley_voice_sessions_ended_total')})` },
  },
  {
    title: 'Silence before an answer (p95), by its parts',
    unit: 's',
    lines: { '{{part}}': quantile(0.95, 'parley_voice_silence_seconds', { by: 'part' }) },
  },
  {
    title: 'Frames that came late',
    unit: 'percentunit',
    lines: { share: `sum(${rate('parley_voice_frames_total', 'outcome="late"')}) / sum(${rate('parley_voice_frames_total')})` },
  },
  {
    title: 'Providers of speech: requests',
    unit: 'reqps',
    lines: {
      '{{provider}} {{kind}} {{outcome}}': `sum by (provider, kind, outcome) (${rate('parley_speech_provider_requests_total')})`,
    },
  },
  {
    title: 'Providers of speech: first sound, first text (p95)',
    unit: 's',
    lines: {
      '{{provider}} sound': quantile(0.95, 'parley_speech_first_sound_seconds', { by: 'provider' }),
      '{{provider}} text': quantile(0.95, 'parley_speech_first_text_seconds', { by: 'provider' }),
    },
  },
];

const models: readonly Panel[] = [
  {
    title: 'Language models: requests',
    unit: 'reqps',
    lines: { '{{provider}} {{outcome}}': `sum by (provider, outcome) (${rate('parley_model_requests_total')})` },
  },
  {
    title: 'Language models: first token, whole answer (p95)',
    unit: 's',
    lines: {
      '{{provider}} first token': quantile(0.95, 'parley_model_first_token_seconds', { by: 'provider' }),
      '{{provider}} answer': quantile(0.95, 'parley_model_answer_seconds', { by: 'provider' }),
    },
  },
  {
    title: 'Language models: tokens',
    unit: 'short',
    lines: { '{{provider}} {{kind}}': `sum by (provider, kind) (${rate('parley_model_tokens_total')})` },
  },
];

/** Grafana's dashboards by the name of their file. */
export function dashboards(): Record<string, object> {
  return { services: dashboard('Parley: services', [...services, ...models]), voice: dashboard('Parley: voice', voice) };
}

const [width, height, columns] = [8, 8, 3];

function dashboard(title: string, panels: readonly Panel[]): object {
  return {
    uid: title.toLowerCase().replaceAll(/\W+/g, '-'),
    title,
    tags: ['parley'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    panels: panels.map(({ title: name, unit, lines }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: name,
      datasource: { type: 'prometheus', uid: 'parley' },
      gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(lines).map(([legendFormat, expr], line) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + line),
        expr,
        legendFormat,
        // A dot on the line for a request whose trace is known.
        ...(expr.startsWith('histogram_quantile') && { exemplar: true }),
      })),
    })),
  };
}
