import { getDocumentProxy } from 'unpdf';
import type { Block, ParsedFile } from './block.ts';
import { inWrittenOrder, refuseDamaged } from './devanagari-damage.ts';
import { limits } from './limits.ts';
import { linesInReadingOrder, type PageLine, type PageRun, runsOf } from './pdf-layout.ts';
import { Refused } from './refused.ts';

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

/** So much text says whether a font can be read. */
const charactersJudged = 100_000;

async function* pagesOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): AsyncGenerator<Block> {
  let text = '';
  let row = 0;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const proxy = await pdf.getPage(page);
    const { items } = await proxy.getTextContent();
    const lines = linesInReadingOrder(items.flatMap((item) => ('str' in item ? [item] : [])));
    proxy.cleanup();
    const usual = lines.map(({ height }) => height).sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
    for (const run of runsOf(lines)) {
      if (text.length < charactersJudged) text += `${textOfRun(run)}\n`;
      if (run.kind === 'table') for (const cells of run.rows) yield { kind: 'row', header: run.header, cells, row: (row += 1) };
      else yield* blocksOf(run.lines, usual, page);
    }
  }
  if (text === '')
    throw new Refused('The PDF holds no text: it seems to be scanned. Recognize its text first, then upload it again.');
  refuseDamaged(text);
}

const textOf = ({ cells }: PageLine): string => inWrittenOrder(cells.map(({ text }) => text).join(' '));
const textOfRun = (run: PageRun): string =>
  run.kind === 'table' ? [run.header, ...run.rows].map((cells) => cells.join(' ')).join('\n') : run.lines.map(textOf).join('\n');

function* blocksOf(lines: readonly PageLine[], usual: number, page: number): Generator<Block> {
  let paragraph: string[] = [];
  for (const line of lines) {
    const text = textOf(line);
    if (line.height > usual * headingRatio && text.length <= headingCharacters) {
      if (paragraph.length > 0) yield paragraphOf(paragraph, page);
      paragraph = [];
      yield { kind: 'heading', text, level: line.height > usual * 1.5 ? 1 : 2, page };
    } else paragraph.push(text);
  }
  if (paragraph.length > 0) yield paragraphOf(paragraph, page);
}

/** A word that was parted at the end of a line is one again. */
function paragraphOf(lines: readonly string[], page: number): Block {
  const text = inWrittenOrder(lines.join(' '));
  return { kind: 'paragraph', text: text.replace(/(?<=[a-z])- (?=[a-z])/g, ''), page };
}
