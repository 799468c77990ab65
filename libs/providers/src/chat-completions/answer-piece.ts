import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import type { AnswerPiece } from '../model-answer';

const CallPiece = z.object({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

const Delta = z.object({ content: z.string().nullish(), tool_calls: z.array(CallPiece).nullish() });

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).optional(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.unknown().optional(),
});

/** One event of the stream. Some servers tell a failure in the middle as an event of its own. */
export function pieceOf(model: string, data: string): AnswerPiece {
  const { choices, usage, error } = Chunk.parse(JSON.parse(data));
  if (error) throw new ProviderFailure(model, 'it failed in the middle of its answer', { retryable: true, cause: error });
  const [choice] = choices ?? [];
  const calls = choice?.delta?.tool_calls?.map(({ index, id, function: called }) => {
    return { index, id: id ?? undefined, name: called?.name ?? undefined, args: called?.arguments ?? undefined };
  });
  return {
    text: choice?.delta?.content ?? '',
    tool_call_chunks: calls,
    response_metadata: choice?.finish_reason ? { finish_reason: choice.finish_reason } : undefined,
    usage_metadata: usage ? { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } : undefined,
  };
}
