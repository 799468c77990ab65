import { report, type Figures } from '../measure/report';
import { benchHome, startPlatform, type RunningPlatform } from '../measure/running-platform';
import { medianOf, playRound, type Contestant, type Round, warmUp } from '../chassis/rounds';

const rounds = 3;
const roundMs = 4_000;
const connections = 16;
const unlimited = { limit: 10_000_000, windowSeconds: 60 };
const plans = { standard: { key: { read: unlimited, chat: unlimited }, organization: { read: unlimited, chat: unlimited } } };

/** CPU time of a guarded request, gateway → NATS → service, without and with a charge. Limits are counted but out of reach. */
export async function measureRequests(): Promise<void> {
  process.env['RATE_LIMIT_PLANS'] = JSON.stringify(plans);
  const home = benchHome();
  const platform = await startPlatform('cluster', home.directory);
  try {
    const played = new Map<Contestant, Round[]>(contestantsOf(platform).map((contestant) => [contestant, []]));
    for (const contestant of played.keys()) await warmUp(contestant, connections);
    for (let round = 0; round < rounds; round += 1) {
      for (const [contestant, results] of played) results.push(await playRound(contestant, connections, roundMs));
    }
    report(
      'door-requests',
      [...played].map(([contestant, results]) => figuresOf(contestant, results)),
    );
  } finally {
    await platform.stop();
    home.remove();
  }
}

function contestantsOf({ demo, members }: RunningPlatform): Contestant[] {
  const among = (...names: string[]): Map<string, number> => new Map([...members].filter(([name]) => names.includes(name)));
  const headers = (key: string): Record<string, string> => ({ 'x-api-key': key, 'content-type': 'application/json' });
  return [
    {
      name: 'key, scope, rate limit → a lookup',
      load: { url: `${demo.baseUrl}/api/v1/external/lookup/tones`, method: 'GET', headers: headers(demo.workspaceKey) },
      processes: among('gateway.1', 'nats', 'agent-config.1'),
    },
    {
      name: 'the same, held and settled → an answer',
      load: {
        url: `${demo.baseUrl}/api/v1/ttt`,
        method: 'POST',
        headers: headers(demo.agentKey),
        body: JSON.stringify({ question: 'When are you open?' }),
      },
      processes: among('gateway.1', 'nats'),
    },
  ];
}

function figuresOf({ name }: Contestant, results: Round[]): Figures {
  const of = (figure: (round: Round) => number): number => medianOf(results.map(figure));
  const parts = [...(results[0]?.cpuPerRequest.keys() ?? [])].map(
    (part) => `${part} ${of(({ cpuPerRequest }) => cpuPerRequest.get(part) ?? 0).toFixed(0)}`,
  );
  return {
    request: name,
    'CPU-µs of the parts': parts.join(' + '),
    'requests/s': of(({ requests }) => (requests * 1_000) / roundMs).toFixed(0),
    'p50 ms': of(({ p50Ms }) => p50Ms).toFixed(2),
    'p99 ms': of(({ p99Ms }) => p99Ms).toFixed(2),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
  };
}
