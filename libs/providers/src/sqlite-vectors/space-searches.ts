import type { EmbeddingSpace, Hit } from '@parley/ports';
import { z } from 'zod';
import type { CollectionFile } from './collection-file.ts';
import { bytesOf, passageColumns, passageOf } from './rows.ts';
import { Signatures } from './signatures.ts';
import { tableOf } from './space-table.ts';

const Ids = z.array(z.number());

/** So many candidates by sign bits get their exact cosine; up to this number of vectors a search is exhaustive. */
const candidates = 400;

/** Searches the vectors of one embedding space, with the signatures of the published ones in memory. */
export class SpaceSearches {
  private readonly file: CollectionFile;
  private readonly table: string;
  private readonly signatures: Signatures;

  constructor(file: CollectionFile, { name, dimensions }: EmbeddingSpace) {
    this.file = file;
    this.table = tableOf(name);
    this.signatures = new Signatures(dimensions);
    this.read('');
  }

  search(vector: Float32Array, limit: number, kinds: ReadonlySet<number> | undefined): Hit[] {
    const bytes = bytesOf(vector);
    const signature = this.file.value('select vec_quantize_binary(?)', bytes);
    if (!(signature instanceof Uint8Array)) return [];
    const ids = this.signatures.nearest(signature, Math.max(candidates, limit), kinds);
    const rows = this.file.all(
      `with nearest as materialized (
         select v.id, 1 - vec_distance_cosine(v.vector, ?) as score
         from json_each(?) as found join ${this.table} as v on v.id = found.value order by score desc, v.id limit ?
       )
       select ${passageColumns}, score from nearest join passages as p on p.id = nearest.id order by score desc, p.id`,
      ...[bytes, JSON.stringify(ids), limit],
    );
    return rows.map(passageOf);
  }

  /** Reads again what the passages of these ids, a JSON array, have become. */
  follow(ids: string): void {
    for (const id of Ids.parse(JSON.parse(ids))) this.signatures.remove(id);
    this.read('and p.id in (select value from json_each(?))', ids);
  }

  release(): void {
    this.signatures.release();
  }

  private read(and: string, ...values: string[]): void {
    const rows = this.file.each(
      `select v.id, p.kind, v.signature from passages as p join ${this.table} as v on v.id = p.id where p.published = 1 ${and}`,
      ...values,
    );
    for (const { id, kind, signature } of rows) {
      if (typeof id === 'number' && typeof kind === 'number' && signature instanceof Uint8Array)
        this.signatures.add(id, kind, signature);
    }
  }
}
