import { type FaultCode, isFaultCode } from '@parley/contracts';
import { z } from 'zod';
import type { SeenAnswer } from './recorded-answer';

/** Refusals that a service decided on: the same request, sent again, shall not be decided anew. */
const decided: readonly FaultCode[] = ['NOT_FOUND', 'CONFLICT', 'DEVICE_LOCKED'];
const FaultBody = z.object({ code: z.string().refine(isFaultCode) });

/**
 * What an answer means for its key. Successes and decisions are kept. What was refused before anything happened (a wrong
 * field, no credits, too fast) leaves the key free; a failure on our side may be tried again as the same request.
 */
export function worthOf({ status, body }: Pick<SeenAnswer, 'status' | 'body'>): 'all' | 'another try' | 'nothing' {
  if (status < 400) return 'all';
  if (status >= 500) return 'another try';
  const code = codeIn(body);
  return code && decided.includes(code) ? 'all' : 'nothing';
}

function codeIn(body: Buffer | undefined): FaultCode | undefined {
  try {
    return FaultBody.parse(JSON.parse(body?.toString() ?? '')).code;
  } catch {
    return undefined;
  }
}
