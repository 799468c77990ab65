import { Injectable } from '@nestjs/common';
import { inTime, type Embeddings } from '@parley/ports';
import { Logger } from '@parley/service-kit';

/** Of the space of 1536 dimensions they take six megabytes. */
const questionsRemembered = 1_000;
/** A caller does not wait longer for the meaning of the question. */
const embeddingMsMax = 1_500;

/** The vectors of questions. Callers ask the same again and again: the questions asked last cost nothing. */
@Injectable()
export class QuestionVectors {
  private readonly known = new Map<string, Float32Array>();

  constructor(private readonly log: Logger) {}

  /** Undefined when the engine is slow or out of order: then the words of the question have to do. */
  async of(question: string, embeddings: Embeddings): Promise<Float32Array | undefined> {
    const text = question.normalize('NFC').trim().replace(/\s+/gu, ' ');
    const { provider, space } = embeddings.capabilities;
    const key = `${space.name} ${text}`;
    const known = this.known.get(key);
    if (known) return this.remember(key, known);
    // A vector that comes too late for this question is there when it is asked again.
    const embedding = embeddings
      .embed([text], { signal: AbortSignal.timeout(embeddingMsMax) })
      .then(([vector]) => vector && this.remember(key, vector));
    try {
      return await inTime(embedding, { provider, timeoutMs: embeddingMsMax });
    } catch (error) {
      this.log.warn('A question could not be embedded, its words alone answer', { error, space: space.name });
      return undefined;
    }
  }

  /** The one asked longest ago makes room. */
  private remember(key: string, vector: Float32Array): Float32Array {
    this.known.delete(key);
    this.known.set(key, vector);
    const oldest = this.known.keys().next().value;
    if (this.known.size > questionsRemembered && oldest !== undefined) this.known.delete(oldest);
    return vector;
  }
}
