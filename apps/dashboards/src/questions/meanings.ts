import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, readTextVectors } from '@parley/contracts';
import { prepared, TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { NewFact } from '../facts/fact-table';

/** The vectors of wordings, and the similarity from which two count as the same question. */
interface Meanings {
  readonly paraphrase: number;
  readonly vectors: ReadonlyMap<string, readonly number[]>;
}

const textsPerQuestion = 32;
/** How many new wordings are embedded for one reply; later replies embed the others. */
const newMax = 96;

/** Vectors of questions, computed once by knowledge-ingest and stored, since the same questions recur day after day. */
@Injectable()
export class QuestionMeanings {
  private engine: { space: string; paraphrase: number } | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  /** If knowledge-ingest is unavailable, only stored vectors are used; if there are none, only equal wordings are grouped. */
  async of(orgId: number, wordings: readonly string[]): Promise<Meanings> {
    const vectors = new Map(await this.kept(orgId, wordings));
    const missing = wordings.filter((wording) => !vectors.has(wording)).slice(0, newMax);
    try {
      for (let first = 0; first < missing.length; first += textsPerQuestion)
        for (const [wording, vector] of await this.made(orgId, missing.slice(first, first + textsPerQuestion)))
          vectors.set(wording, vector);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
    return { paraphrase: this.engine?.paraphrase ?? 1, vectors };
  }

  private async kept(orgId: number, wordings: readonly string[]): Promise<[string, readonly number[]][]> {
    if (!this.engine) return [];
    const byHash = new Map(wordings.map((wording) => [hashOf(wording).toString('hex'), wording]));
    const values = [orgId, this.engine.space, wordings.map(hashOf)];
    const rows = await this.tenants.run(orgId, async (manager) => {
      await manager.query(
        `UPDATE question_vectors SET used_on = current_date
         WHERE org_id = $1 AND space = $2 AND wording = ANY($3::bytea[]) AND used_on < current_date`,
        values,
      );
      return manager.query<{ hash: string; vector: number[] }[]>(
        `SELECT encode(wording, 'hex') AS hash, vector FROM question_vectors
         WHERE org_id = $1 AND space = $2 AND wording = ANY($3::bytea[])`,
        values,
      );
    });
    return rows.flatMap(({ hash, vector }) => {
      const wording = byHash.get(hash);
      return wording === undefined ? [] : [[wording, vector] satisfies [string, readonly number[]]];
    });
  }

  private async made(orgId: number, texts: string[]): Promise<[string, readonly number[]][]> {
    const { space, paraphrase, vectors } = await this.bus.ask(readTextVectors, { texts });
    this.engine = { space, paraphrase };
    await this.tenants.run(orgId, async (manager) => {
      for (const [index, text] of texts.entries())
        await manager.query(
          `INSERT INTO question_vectors (org_id, space, wording, vector, used_on) VALUES ($1, $2, $3, $4, current_date)
           ON CONFLICT DO NOTHING`,
          [orgId, space, hashOf(text), vectors[index] ?? []],
        );
    });
    return texts.flatMap((text, index) => {
      const vector = vectors[index];
      return vector ? [[text, vector] satisfies [string, readonly number[]]] : [];
    });
  }
}

/** SQL for a question without case and punctuation, by which equal ones are grouped and their vectors found. */
export const wordingInSql = `trim(regexp_replace(lower(question), '[^[:alnum:]\\u0900-\\u097F]+', ' ', 'g'))`;

/**
 * Deletes the vectors of questions that were forgotten, before their facts lose them, because much of a text can be read from its vector.
 * One that others asked too is computed again.
 */
export async function forgetMeanings(manager: EntityManager, turns: readonly NewFact[]): Promise<void> {
  await prepared(manager, {
    name: 'forget-meanings',
    text: `WITH forgotten AS MATERIALIZED (
       SELECT facts.org_id, ${wordingInSql} AS wording
       FROM json_to_recordset($1) AS told (org_id int, asked_at timestamptz, turn_uuid uuid)
         CROSS JOIN LATERAL (
           SELECT org_id, question FROM turn_facts
           WHERE org_id = told.org_id AND asked_at = told.asked_at AND turn_uuid = told.turn_uuid AND question IS NOT NULL
         ) facts
     )
     DELETE FROM question_vectors USING forgotten
     WHERE question_vectors.org_id = forgotten.org_id AND question_vectors.wording = sha256(convert_to(forgotten.wording, 'UTF8'))`,
    values: [JSON.stringify(turns.map(({ org_id, asked_at, turn_uuid }) => ({ org_id, asked_at, turn_uuid })))],
  });
}

/** The wording itself is not stored with its vector, because it must be deleted with its facts. */
const hashOf = (wording: string): Buffer => createHash('sha256').update(wording).digest();
