import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Fault, faultCatalogue } from '@parley/contracts';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerFault } from './answer-fault';
import { faultOf } from './fault-of';

/** The edge: everything thrown on the way to an answer is logged here once and leaves in the one error shape. */
@Catch()
export class FaultFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const fault = faultOf(error);
    this.report(fault, http.getRequest<FastifyRequest>());
    answerFault(http.getResponse<FastifyReply>(), fault);
  }

  private report(fault: Fault, request: FastifyRequest): void {
    const { method, id: requestId, principal } = request;
    const route = request.routeOptions.url;
    const cause = fault.cause === undefined ? {} : { error: fault.cause };
    const holder = principal && { orgId: principal.orgId, keyId: principal.keyId };
    this.log[faultCatalogue[fault.code].log]('A request failed', {
      code: fault.code,
      requestId,
      method,
      route,
      ...holder,
      ...cause,
    });
  }
}
