import type { RequestContract } from '@parley/contracts';
import { asAnswerFault, decodeBody, encodeBody } from '../wire/body';
import { encodeFrame } from '../wire/frame';
import type { Desk, Work } from './desk';
import { type Handler, invoke } from './handler';

/** Answers one question at a time with what the handler returns. */
export function serveRequest(desk: Desk, contract: RequestContract, handler: Handler): Work {
  return async (request, call) => {
    const body = decodeBody(contract.request, request.body);
    const answer = await invoke(handler, body, call);
    desk.endpoint.transport.publish(request.reply, encodeFrame('reply', 0, textOfAnswer(contract, answer)));
  };
}

function textOfAnswer(contract: RequestContract, answer: unknown): string {
  try {
    return encodeBody(contract.reply, answer);
  } catch (error) {
    throw asAnswerFault(error);
  }
}
