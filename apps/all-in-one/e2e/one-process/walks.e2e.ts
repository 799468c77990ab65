import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const root = path.resolve(__dirname, '../../../..');
/** By then the tool itself has reported what hangs. */
const hangMs = 1_800_000;
/** Marks a file of which nothing runs in this process. */
const elsewhere = /\((?:in a worker|in a process of its own|over NATS)\)/u;
const Walks = z.record(z.string(), z.object({ ever: z.array(z.string()) }));

/** The files that a section of the document links to, in order, except those that run elsewhere. */
function filesIn(section: string): string[] {
  const document = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, text = ''] = new RegExp(`\n### ${section}\n(.*?)(?:\n### |$)`, 'su').exec(document) ?? [];
  const lines = text.split('\n').filter((line) => !elsewhere.test(line));
  return lines.flatMap((line) => [...line.matchAll(/\]\(\.\.\/([^)]+\.ts)\)/gu)].map(([, file = '']) => file));
}

describe('the walks in docs/architecture.md', () => {
  let walks: z.output<typeof Walks>;
  beforeAll(async () => {
    const options = { cwd: root, maxBuffer: 2 ** 24 };
    const { stdout } = await promisify(execFile)(process.execPath, ['tools/walk.mjs', '--built', '--json'], options);
    walks = Walks.parse(JSON.parse(stdout));
  }, hangMs);

  it.each([
    ['A question in text', 'text'],
    ["20 ms of a caller's voice", 'voice'],
    ['A PDF', 'pdf'],
  ])('name only files that ran: %s', (section, name) => {
    const ran = walks[name]?.ever ?? [];
    const named = filesIn(section);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((file) => !ran.includes(file))).toEqual([]);
  });
});
