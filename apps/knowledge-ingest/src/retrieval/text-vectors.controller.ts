import { Controller } from '@nestjs/common';
import { readTextVectors } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { Engines } from '../engines';

/** What texts mean, for services that compare them. */
@Controller()
export class TextVectorsController {
  constructor(private readonly engines: Engines) {}

  @Handles(readTextVectors)
  async vectors(
    { texts }: z.output<typeof readTextVectors.request>,
    { signal }: Call,
  ): Promise<z.input<typeof readTextVectors.reply>> {
    const { capabilities } = this.engines.embeddings;
    const vectors = await this.engines.embeddings.embed(texts, { signal });
    return {
      space: capabilities.space.name,
      paraphrase: capabilities.similarity.paraphrase,
      vectors: vectors.map((vector) => Array.from(vector, (each) => Math.round(each * 1e6) / 1e6)),
    };
  }
}
