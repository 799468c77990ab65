import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { StoredAnswer } from './claim';

/** Thrown in the place of an answer: the request was answered before. */
export class Replay extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('answered before');
  }
}

/** Sends a stored answer byte for byte as it was, and says that it is one. */
@Catch(Replay)
export class ReplayFilter implements ExceptionFilter<Replay> {
  catch({ answer: { status, headers, body } }: Replay, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(status).headers(headers).header('idempotent-replayed', 'true').send(body);
  }
}
