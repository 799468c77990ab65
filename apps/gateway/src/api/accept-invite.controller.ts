import { Controller, Req, Res } from '@nestjs/common';
import { acceptInvite, createKey, Fault, type Principal } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { reachesBeyond } from '../door/access/permits';
import { ActionTrail } from '../door/audit/recorded-actions';
import { gatewayCall, parseInput } from '../endpoint/gateway-call';
import { inEnvelope } from '../endpoint/endpoint';
import { Answers } from './hand-written';

type AcceptInviteReply = z.output<typeof acceptInvite.reply>;

/** Accepts invitations: whoever holds the e-mailed token needs no key, and gets a key of the new team. */
@Controller()
export class AcceptInviteController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly trail: ActionTrail,
    private readonly log: Logger,
  ) {}

  @Answers('acceptInvite')
  async accept(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const body = parseInput(acceptInvite.request, request.body ?? {});
    const call = gatewayCall(request, reply, acceptInvite.timeoutMs);
    if (!body.token && !call.principal) {
      throw new Fault('API_KEY_MISSING', { message: 'Without an API key, send the token from the invitation’s e-mail.' });
    }
    // A token was e-mailed and authorizes by itself. Without one the caller's key does, and the new team's first key would
    // outlive a key with bounds.
    if (!body.token && call.principal?.isBounded) throw new Fault('SCOPE_MISSING', { message: reachesBeyond('A first key') });
    const accepted = await runInCall(call, () => this.bus.ask(acceptInvite, body));
    const { key } = await this.firstKey(accepted, call);
    if (!call.principal) await this.note(accepted, call);
    return inEnvelope.data({ ...accepted, key });
  }

  private firstKey({ OrgID: orgId, memberAdminID }: AcceptInviteReply, call: Call) {
    const principal: Principal = { kind: 'system', keyId: 'gateway', orgId };
    const wanted = { name: 'First key', kind: 'wsk' as const, memberAdminID };
    return runInCall({ ...call, principal }, () => this.bus.ask(createKey, wanted));
  }

  /** A caller with a key is recorded by it; one with a token had no identity before. */
  private async note({ OrgID: orgId, memberAdminID, TeamInviteKeyID }: AcceptInviteReply, { requestId }: Call): Promise<void> {
    const attempt = { orgId, action: acceptInvite.subject, memberId: memberAdminID, integrationKeyId: null };
    const subject = `TeamInviteKeyID ${TeamInviteKeyID}`;
    try {
      const intent = await this.trail.begin({ ...attempt, subject, request: null, before: null, requestId });
      await this.trail.finish(orgId, intent, { outcome: 'OK', reply: { memberAdminID } });
    } catch (error) {
      this.log.error('An accepted invitation was not recorded', { error });
    }
  }
}
