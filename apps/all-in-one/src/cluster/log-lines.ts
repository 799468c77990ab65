import type { Readable, Writable } from 'node:stream';

const lineBytesMax = 64 * 1024;

/** Passes a process's output on line by line, each with its name before it. An endless line is cut, not collected. */
export function prefixLines(source: Readable | null, label: string, sink: Writable): void {
  if (!source) return;
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) sink.write(`${label} ${line}\n`);
    if (rest.length > lineBytesMax) {
      sink.write(`${label} ${rest}…\n`);
      rest = '';
    }
  });
  source.on('end', () => {
    if (rest) sink.write(`${label} ${rest}\n`);
  });
}
