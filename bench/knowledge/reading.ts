import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseDocument } from '@parley/apps/knowledge-ingest/retrieval';
import type { Figures } from '../measure/report';

const units = { pdf: 'pages/s', xlsx: 'rows/s', csv: 'rows/s' } as const;

/** How fast one core parses a large file, and how late the event loop of the requesting process is. */
export async function measureReading(type: keyof typeof units, content: Buffer, count: number): Promise<Figures> {
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const startedMs = performance.now();
  const { chunks } = await parseDocument(type, content, { cpuMs: 120_000, milliseconds: 120_000 });
  const seconds = (performance.now() - startedMs) / 1000;
  lateness.disable();
  return {
    what: `reading a ${type} of ${count}`,
    [units[type]]: Math.round(count / seconds),
    chunks: chunks.length,
    'loop p99/max ms': late(lateness),
  };
}

/** The lateness of an event loop in milliseconds, p99 and maximum: `4.0 / 9.2`. */
export function late(lateness: { percentile(share: number): number; readonly max: number }): string {
  return `${(lateness.percentile(99) / 1e6).toFixed(1)} / ${(lateness.max / 1e6).toFixed(1)}`;
}
