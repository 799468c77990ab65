import { SentenceCutter } from '@parley/audio';

const firstClauseMin = 20;
const clause = new RegExp(`^[^]{${firstClauseMin},}?[,;:—–](?=\\s)`, 'u');

/** Cuts an answer into what a voice says at a time: sentences, but the very first as soon as a clause is there. */
export class SpeechChunks {
  private readonly cutter = new SentenceCutter();
  private opening: string | undefined = '';

  push(text: string): string[] {
    if (this.opening === undefined) return this.cutter.push(text);
    this.opening += text;
    const [whole] = new SentenceCutter().push(this.opening);
    const first = whole === undefined ? clause.exec(this.opening)?.[0] : undefined;
    if (whole === undefined && first === undefined) return [];
    const rest = this.opening.slice(first?.length ?? 0);
    this.opening = undefined;
    return [...(first === undefined ? [] : [first.trim()]), ...this.cutter.push(rest)];
  }

  flush(): string[] {
    const rest = this.opening === undefined ? [] : this.cutter.push(this.opening);
    this.opening = undefined;
    return [...rest, ...this.cutter.flush()];
  }
}
