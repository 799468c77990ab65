import type { Fault } from '@parley/contracts';
import type { FastifyReply } from 'fastify';
import { faultBody, retryAfterOf } from './fault-body';

/** Sends a fault in the one shape. A reply whose headers are already out can only be cut off. */
export function answerFault(reply: FastifyReply, fault: Fault): void {
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const retryAfter = retryAfterOf(fault);
  if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
  reply.removeHeader('content-type');
  reply.status(fault.status).send(faultBody(fault, reply.request.id));
}
