/** A piece of a document in reading order, before it is cut into chunks. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string; readonly level: number; readonly page?: number }
  | { readonly kind: 'paragraph'; readonly text: string; readonly page?: number }
  | {
      readonly kind: 'row';
      readonly header: readonly string[];
      readonly cells: readonly string[];
      readonly row: number;
      readonly sheet?: string;
    };

export interface ParsedFile {
  readonly blocks: AsyncIterable<Block> | Iterable<Block>;
  /** Known once all blocks were read; undefined for formats without pages. */
  pageCount(): number | undefined;
}
