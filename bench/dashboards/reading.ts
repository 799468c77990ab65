import {
  getCallTrends,
  getCampaignDashboard,
  getConversationFigures,
  getDashboardCount,
  getFaqHits,
  getLatencyFigures,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  getTodayCounts,
  getUnansweredQuestions,
  getUsageFigures,
  getVoiceQuality,
  type Principal,
  type RequestContract,
} from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import { cpuMicrosecondsBelow, cpuMicrosecondsOf } from '../measure/process-cpu';
import type { Figures } from '../measure/report';
import type { Size } from './made-up-facts';

const asked = 200;
const askedOfLargest = 40;

/** How long each endpoint takes for the whole span, for different organizations and for the largest one. */
export async function measureReading(
  bus: ServiceBus,
  { organizations, days }: Size,
  progress: (text: string) => void,
): Promise<Figures[]> {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  const span = { startDate: day(days), endDate: day(0) };
  const questions: [string, RequestContract, object][] = [
    ['get-dashboard-count', getDashboardCount, span],
    ['get-dashboard-count, one agent', getDashboardCount, { ...span, agentIds: [3] }],
    ['get-today-count', getTodayCounts, {}],
    ['get-campaign-dashboard', getCampaignDashboard, span],
    ['get-campaign-dashboard, of all time', getCampaignDashboard, {}],
    ['get-latency', getLatencyFigures, span],
    ['get-usage', getUsageFigures, span],
    ['get-conversation-figures', getConversationFigures, span],
    ['get-unanswered-questions', getUnansweredQuestions, span],
    ['get-faq-hits', getFaqHits, span],
    ['get-voice-quality', getVoiceQuality, span],
    ['sales get-summary', getSalesSummary, span],
    ['sales get-leaderboard', getSalesLeaderboard, span],
    ['sales get-call-trends, days', getCallTrends, { ...span, interval: 'day' }],
    ['sales get-call-trends, hours', getCallTrends, { ...span, interval: 'hour' }],
    ['sales get-target-achievement', getTargetAchievement, span],
  ];
  const rows: Figures[] = [];
  for (const [what, contract, body] of questions) {
    const ask = async (orgId: number): Promise<number> => {
      const principal: Principal = { kind: 'wsk', keyId: 'bench', orgId, roleTypeId: 1 };
      const startedMs = performance.now();
      await bus.ask(contract, body, { principal });
      return performance.now() - startedMs;
    };
    const before = cpuMsOf();
    const typical = await timesOf(asked, (index) => ask(2 + ((index * 7) % (organizations - 1))));
    const between = cpuMsOf();
    const largest = await timesOf(askedOfLargest, () => ask(1));
    const after = cpuMsOf();
    rows.push({
      what,
      p50: ms(typical, 0.5),
      p99: ms(typical, 0.99),
      'CPU ms each: Node': ((between.node - before.node) / (asked + 1)).toFixed(1),
      Postgres: ((between.postgres - before.postgres) / (asked + 1)).toFixed(1),
      'largest p50': ms(largest, 0.5),
      'largest p99': ms(largest, 0.99),
      'largest CPU ms each: Node': ((after.node - between.node) / (askedOfLargest + 1)).toFixed(1),
      'largest Postgres': ((after.postgres - between.postgres) / (askedOfLargest + 1)).toFixed(1),
    });
    progress(`${what}: p99 ${ms(typical, 0.99)} ms, of the largest ${ms(largest, 0.99)} ms`);
  }
  return rows;
}

async function timesOf(count: number, work: (index: number) => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  // What the first request of a kind loads and plans must not be counted.
  await work(0);
  for (let index = 0; index < count; index += 1) times.push(await work(index));
  return times.toSorted((a, b) => a - b);
}

const ms = (times: readonly number[], share: number): string =>
  (times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)] ?? 0).toFixed(1);

/** CPU time of this process and of its Postgres, which on a shared machine shows the latency without the other work. */
function cpuMsOf(): { node: number; postgres: number } {
  return { node: cpuMicrosecondsOf(process.pid) / 1000, postgres: cpuMicrosecondsBelow(process.pid) / 1000 };
}

/** The sum of both. */
export function cpuMsOfAll(): number {
  const { node, postgres } = cpuMsOf();
  return node + postgres;
}
