import { z } from 'zod';
import { defineRequest } from '../messages';
import { CallResult, ResultSchema } from '../telephony-bridge/campaign-results';
import { described, sessionExample, Uuid } from '../vocabulary';

/** Asking a model twice, with a transcript of an hour. */
const extractionMs = 90_000;

/** For the bridge, once for each call of a campaign: what the caller said, by the fields of a schema. It is asked again where it failed. */
export const extractCallResult = defineRequest({
  subject: 'conversation.result.extract',
  timeoutMs: extractionMs,
  request: described(
    'ExtractCallResultRequest',
    'A conversation that is over, and what is to be learned from it.',
    z.object({ sessionUUID: Uuid, ResultSchema }),
    {
      sessionUUID: sessionExample,
      ResultSchema: { properties: { will_pay: { type: 'boolean', description: 'Whether they will pay.' } } },
    },
  ),
  reply: described(
    'ExtractedCallResult',
    'What was learned: each field has a value, or null where it was not said. Without a `result`, `reason` says why; `tokens` are what the model used.',
    z.object({ result: CallResult.nullable(), reason: z.string().max(500).nullable(), tokens: z.int().min(0) }),
    { result: { will_pay: true }, reason: null, tokens: 412 },
  ),
});
