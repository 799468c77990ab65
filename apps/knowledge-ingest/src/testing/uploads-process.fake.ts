import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Fault, saveDocument, searchKnowledge } from '@parley/contracts';
import { KnowledgeHarness } from './knowledge-harness.suite';

/** An upload that is already in the file store. */
export interface StoredUpload {
  readonly fileKey: string;
  readonly fileName: string;
  readonly size: number;
}

/** The process's output, one line each. */
export type Told =
  | { readonly idleBytes: number }
  | { readonly fileName: string; readonly outcome: string }
  | { readonly peakBytes: number; readonly found: readonly string[]; readonly children: number };

const filesAtATime = 4;
const tell = (told: Told) => writeSync(1, `${JSON.stringify(told)}\n`);

function statusBytes(field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Child processes of this one that are still running. */
function children(): number {
  const tasks = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
  return tasks.split(' ').filter(Boolean).length;
}

/**
 * Runs the service in a separate process, so that its memory can be measured: reads harmless files, then hostile ones, and
 * reports the outcome of each and the peak memory beyond that of the harmless ones.
 */
export async function takeUploads(databaseUrl: string, folder: string, harmless: string, hostile: string): Promise<void> {
  const harness = new KnowledgeHarness(databaseUrl, folder);
  await harness.start({}, process.stderr);
  const { KBID } = await harness.base();
  const take = async (uploads: StoredUpload[]) => {
    // Each caller takes the next upload as soon as it has an answer, so that the service never waits for its callers.
    const waiting = uploads.values();
    const caller = async () => {
      for (const upload of waiting) await takeOne(harness, KBID, upload);
    };
    await Promise.all(Array.from({ length: filesAtATime }, caller));
  };
  await take(JSON.parse(harmless) as StoredUpload[]);
  tell({ idleBytes: statusBytes('VmRSS') });
  // Resets the peak resident size that the kernel records.
  writeFileSync('/proc/self/clear_refs', '5');
  await take(JSON.parse(hostile) as StoredUpload[]);
  const peakBytes = statusBytes('VmHWM');
  await harness.settled(await harness.upload(KBID, 'next.txt', 'The warranty lasts two years.'));
  const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'how long is the warranty' });
  tell({ peakBytes, found: passages.map(({ text }) => text), children: children() });
  await harness.stop();
}

async function takeOne(harness: KnowledgeHarness, KBID: number, { fileKey, fileName, size }: StoredUpload): Promise<void> {
  const document = { fileKey, fileName, size, contentType: 'application/octet-stream' };
  try {
    const saved = await harness.ask(saveDocument, { KBID: String(KBID), KBDocumentKeyID: '', document });
    const { status, reason } = await harness.settled(saved);
    tell({ fileName, outcome: status === 'FAILED' ? `FAILED: ${reason}` : status });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    tell({ fileName, outcome: error.code });
  }
}
