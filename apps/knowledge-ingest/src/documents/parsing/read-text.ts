import type { Block, ParsedFile } from './block.ts';
import { Refused } from './refused.ts';

/** Text in UTF-8 or, with its mark, UTF-16. What is neither is read as Windows-1252, as old exports are. */
export function decodeText(file: Buffer): string {
  const mark = file.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(file);
  if (file.includes(0)) throw new Refused('The file is not text.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return new TextDecoder('windows-1252').decode(file);
  }
}

/** Plain text: blank lines part paragraphs. */
export function readPlain(file: Buffer): ParsedFile {
  return { blocks: plainBlocks(withLineFeeds(file)), pageCount: () => undefined };
}

/** Markdown: blank lines part paragraphs, `#` lines are headings, `|` lines are table rows. */
export function readMarkdown(file: Buffer): ParsedFile {
  return { blocks: markdownBlocks(withLineFeeds(file)), pageCount: () => undefined };
}

const withLineFeeds = (file: Buffer) => decodeText(file).replace(/\r\n?/g, '\n');

function* plainBlocks(text: string): Generator<Block> {
  for (const paragraph of text.split(/\n\s*\n/)) if (paragraph.trim()) yield { kind: 'paragraph', text: paragraph.trim() };
}

function* markdownBlocks(text: string): Generator<Block> {
  for (const paragraph of text.split(/\n\s*\n|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m)) {
    const heading = headingIn(paragraph.trim());
    if (heading) yield heading;
    else if (/^\s*\|.*\|\s*\n\s*\|[\s:|-]+\|/.test(paragraph)) yield* tableRows(paragraph);
    else if (paragraph.trim()) yield { kind: 'paragraph', text: plain(paragraph) };
  }
}

function headingIn(line: string): Block | undefined {
  const [, marks] = /^(#{1,6})\s/.exec(line) ?? [];
  if (!marks || line.includes('\n')) return undefined;
  let end = line.length;
  while (line[end - 1] === '#') end -= 1;
  const text = line.slice(marks.length, end).trim();
  return text === '' ? undefined : { kind: 'heading', text, level: marks.length };
}

function* tableRows(table: string): Generator<Block> {
  const cellsOf = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => plain(cell).trim());
  const [head = '', , ...lines] = table.trim().split('\n');
  for (const [index, line] of lines.entries()) yield { kind: 'row', header: cellsOf(head), cells: cellsOf(line), row: index + 1 };
}

/** Without the marks that a listener would not want to hear. A bracket that is opened again ends the search for its end. */
const plain = (text: string) =>
  text
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|`|~~)/g, '')
    .trim();
