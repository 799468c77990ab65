import { Fault, type RequestContract } from '@parley/contracts';
import type { z } from 'zod';
import type { Endpoint } from '../endpoint';
import type { AskOptions } from '../service-bus';
import { asAnswerFault, asRequestFault, decodeBody, encodeBody } from '../wire/body';
import { Conversation } from './conversation';
import { OutgoingCall } from './outgoing-call';

/** One question, one answer. */
export async function ask<Body extends z.ZodType, Reply extends z.ZodType>(
  endpoint: Endpoint,
  contract: RequestContract<Body, Reply>,
  body: z.input<Body>,
  options: AskOptions,
): Promise<z.output<Reply>> {
  const text = textOfRequest(contract.request, body);
  const call = new OutgoingCall(contract, options);
  const answer = await new Promise<Uint8Array>((resolve, reject) => {
    const conversation = new Conversation(endpoint, call, contract.subject, {
      failed: reject,
      frame: (frame) => {
        if (frame.kind !== 'reply') return conversation.giveUp(unexpected(frame.kind));
        conversation.finish();
        resolve(frame.body);
      },
    });
    conversation.send(text);
  });
  return readAnswer(endpoint, contract, answer);
}

/** The text of a request, or the fault of whoever wrote it. */
export function textOfRequest(schema: z.ZodType, body: unknown): string {
  try {
    return encodeBody(schema, body);
  } catch (error) {
    throw asRequestFault(error);
  }
}

function readAnswer<Reply extends z.ZodType>(
  endpoint: Endpoint,
  contract: RequestContract<z.ZodType, Reply>,
  answer: Uint8Array,
): z.output<Reply> {
  try {
    return decodeBody(contract.reply, answer);
  } catch (error) {
    endpoint.log.error({ err: error, subject: contract.subject }, 'An answer does not fit its contract');
    throw asAnswerFault(error);
  }
}

/** The fault of a peer that answers in another kind than its contract says. */
export function unexpected(kind: string): Fault {
  return new Fault('INTERNAL', { cause: new Error(`unexpected ${kind}`) });
}
