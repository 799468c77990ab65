import { Controller } from '@nestjs/common';
import { previewPrompt } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { PromptPreview } from './prompt-preview';

/** Prompts over the bus. */
@Controller()
export class PromptsController {
  constructor(private readonly preview: PromptPreview) {}

  @Handles(previewPrompt)
  show(body: BodyOf<typeof previewPrompt>, call: Call): Promise<ReplyOf<typeof previewPrompt>> {
    return this.preview.of(body, call);
  }
}
