import { getDocumentProxy } from 'unpdf';
import type { Block, ParsedFile } from './block.ts';
import { limits } from './limits.ts';
import { Refused } from './refused.ts';

interface Line {
  readonly text: string;
  readonly height: number;
}

const headingRatio = 1.15;
const headingCharacters = 120;

/** The text of a PDF, page by page. Lines set larger than the page's usual ones are headings. */
export async function readPdf(file: Buffer): Promise<ParsedFile> {
  const pdf = await getDocumentProxy(new Uint8Array(file)).catch((error: unknown) => {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Refused(isLocked ? 'The file is protected by a password.' : 'The PDF is damaged.', { cause: error });
  });
  if (pdf.numPages > limits.pages) throw new Refused(`The PDF has more than ${limits.pages} pages.`);
  return { blocks: pagesOf(pdf), pageCount: () => pdf.numPages };
}

async function* pagesOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): AsyncGenerator<Block> {
  let hasText = false;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const proxy = await pdf.getPage(page);
    const { items } = await proxy.getTextContent();
    const lines = linesOf(items.flatMap((item) => ('str' in item ? [item] : [])));
    proxy.cleanup();
    hasText ||= lines.length > 0;
    yield* blocksOf(lines, page);
  }
  if (!hasText)
    throw new Refused('The PDF holds no text: it seems to be scanned. Recognize its text first, then upload it again.');
}

function linesOf(items: readonly { str: string; height: number; hasEOL: boolean }[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let height = 0;
  for (const item of items) {
    text += item.str;
    height = Math.max(height, item.height);
    if (!item.hasEOL) continue;
    lines.push({ text: text.trim(), height });
    [text, height] = ['', 0];
  }
  lines.push({ text: text.trim(), height });
  return lines.filter((line) => line.text !== '');
}

function* blocksOf(lines: readonly Line[], page: number): Generator<Block> {
  const usual = lines.map(({ height }) => height).sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
  let paragraph: string[] = [];
  for (const { text, height } of lines) {
    if (height > usual * headingRatio && text.length <= headingCharacters) {
      if (paragraph.length > 0) yield { kind: 'paragraph', text: paragraph.join(' '), page };
      paragraph = [];
      yield { kind: 'heading', text, level: height > usual * 1.5 ? 1 : 2, page };
    } else paragraph.push(text);
  }
  if (paragraph.length > 0) yield { kind: 'paragraph', text: paragraph.join(' ').replace(/(?<=[a-z])- (?=[a-z])/g, ''), page };
}
