import type { Hit, LexicalQuery } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { type CollectionFile, kindCodes, passageColumns, passageOf } from './collection-file.ts';

const countsRemembered = 20_000;
/** Words in a larger share of passages are ignored, since they distinguish little and cost much. */
const commonShare = 0.15;
/** A question is ranked by its rarest word and, rarest first, further words until this many passages match. Small collections use all words. */
const matchesRanked = 2_000;
/** Counts are refreshed once a collection has grown or shrunk by this share, since they only decide which words are used. */
const growthNoticed = 0.1;
const sparePerHit = 4;

/** The words of a collection, ranked by BM25. */
export class TermIndex {
  private readonly file: CollectionFile;
  private readonly counts = new LRUCache<string, number>({ max: countsRemembered });
  private countedAmong = 0;

  constructor(file: CollectionFile) {
    this.file = file;
  }

  insert(id: number | bigint, terms: readonly string[]): void {
    this.file.run('insert into passage_terms (rowid, terms) values (?, ?)', id, terms.join(' '));
  }

  /** @param ids A JSON array. */
  remove(ids: string): void {
    this.file.run('delete from passage_terms where rowid in (select value from json_each(?))', ids);
  }

  search({ terms, limit, kinds }: LexicalQuery): Hit[] {
    const telling = this.telling([...new Set(terms)]);
    // If all words are frequent, passages with both of the rarest two are searched first, since there are few.
    const [rarest, next] = telling.words.map(quoted);
    if (rarest === undefined) return [];
    if (telling.isCostly && next !== undefined) {
      const hits = this.searchMatching(`${rarest} AND ${next}`, { limit, kinds });
      if (hits.length > 0) return hits;
    }
    return this.searchMatching(telling.isCostly ? rarest : telling.words.map(quoted).join(' OR '), { limit, kinds });
  }

  /** Ranks first, then filters by visibility; if too few passages are left, ranks again with that condition. */
  private searchMatching(match: string, { limit, kinds }: Pick<LexicalQuery, 'kinds' | 'limit'>): Hit[] {
    const wanted = limit * sparePerHit;
    const seen = this.ranked(match, wanted, { kinds, limit });
    // If too few of the best are visible, the condition has to be part of the query.
    return seen.hits.length === limit || seen.ranked < wanted ? seen.hits : this.rankedVisible(match, { kinds, limit });
  }

  private ranked(
    match: string,
    wanted: number,
    { kinds, limit }: Pick<LexicalQuery, 'kinds' | 'limit'>,
  ): { hits: Hit[]; ranked: number } {
    const rows = this.file.all(
      `with ranked as materialized (
         select rowid as id, -rank as score from passage_terms where passage_terms match ? order by rank limit ?
       )
       select ${passageColumns}, p.published, score from ranked join passages as p on p.id = ranked.id order by score desc, p.id`,
      ...[match, wanted],
    );
    const codes = new Set(kindCodes(kinds));
    const visible = rows.filter(({ published, kind }) => published === 1 && codes.has(Number(kind)));
    return { hits: visible.slice(0, limit).map(passageOf), ranked: rows.length };
  }

  private rankedVisible(match: string, { kinds, limit }: Pick<LexicalQuery, 'kinds' | 'limit'>): Hit[] {
    const rows = this.file.all(
      `select ${passageColumns}, -bm25(passage_terms) as score
       from passage_terms join passages as p on p.id = passage_terms.rowid
       where passage_terms match ? and p.published = 1 and p.kind in (select value from json_each(?)) order by score desc, p.id limit ?`,
      ...[match, JSON.stringify(kindCodes(kinds)), limit],
    );
    return rows.map(passageOf);
  }

  /**
   * The distinctive words, rarest first. The search is costly if even the rarest matches too many passages. Without such words, only the
   * vector search can find anything.
   */
  private telling(terms: readonly string[]): { words: readonly string[]; isCostly: boolean } {
    const all = Number(this.file.value('select count(*) from passages') ?? 0);
    if (all * terms.length <= matchesRanked) return { words: terms, isCostly: false };
    if (Math.abs(all - this.countedAmong) > this.countedAmong * growthNoticed) this.countAmong(all);
    const counted = terms
      .map((term) => ({ term, count: this.countOf(term) }))
      .filter(({ count }) => count <= all * commonShare)
      .sort((a, b) => a.count - b.count);
    const isCostly = (counted[0]?.count ?? 0) > matchesRanked;
    let matches = 0;
    const affordable = counted.filter(({ count }) => (matches += count) <= matchesRanked);
    return { words: (isCostly ? counted : affordable).map(({ term }) => term), isCostly };
  }

  private countAmong(passages: number): void {
    this.counts.clear();
    this.countedAmong = passages;
  }

  /** In how many passages a word occurs, counted only up to where it is common. */
  private countOf(term: string): number {
    const known = this.counts.get(term);
    if (known !== undefined) return known;
    const countMax = Math.ceil(this.countedAmong * commonShare * (1 + 2 * growthNoticed));
    const count = Number(
      this.file.value(
        'select count(*) from (select rowid from passage_terms where passage_terms match ? limit ?)',
        ...[quoted(term), countMax],
      ),
    );
    this.counts.set(term, count);
    return count;
  }
}

const quoted = (term: string) => `"${term.replaceAll('"', '""')}"`;
