import { All, Controller, Injectable, Param, Req, Res } from '@nestjs/common';
import { Fault, faultCatalogue, type FaultCode } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type CallNotice, type CarrierRequest, ProviderFailure, type WebhookReply, type Webhooks } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OpenCarrier, OpenCarriers } from '../accounts/open-carriers';
import { CallNotices, type Planned } from './call-notices';

const noticesMax = 50;
const onceKeyLettersMax = 300;

/** A claim older than a minute, which is longer than any carrier waits, belongs to a process that died. */
const claim = `
  INSERT INTO seen_requests (org_id, account_id, once_key, heeded) VALUES ($1, $2, $3, false)
  ON CONFLICT (account_id, once_key) DO UPDATE SET seen_at = now()
    WHERE NOT seen_requests.heeded AND seen_requests.seen_at < now() - interval '1 minute'
  RETURNING 1`;

const plain = (status: number, body: string): WebhookReply => ({ status, contentType: 'text/plain; charset=utf-8', body });

/** Which of our addresses a carrier called. */
interface WebhookAddress {
  readonly carrier: string;
  readonly account: string;
  readonly asked: 'answer' | 'status';
  /** Our id of the call, if we placed it and the address contains it. */
  readonly reference?: string;
}

/** Handles carriers' requests and notices, only if they are authentic, and each only once. */
@Injectable()
export class CarrierWebhooks {
  constructor(
    private readonly carriers: OpenCarriers,
    private readonly tenants: TenantScope,
    private readonly notices: CallNotices,
    private readonly log: Logger,
  ) {}

  /** Handles one request of a carrier and returns the reply. */
  async receive(
    { carrier, account: accountKey, asked, reference }: WebhookAddress,
    request: CarrierRequest,
  ): Promise<WebhookReply> {
    const open = await this.carriers.byKey(accountKey);
    const webhooks = open?.carrier.webhooks;
    if (!open || !webhooks || open.account.carrier !== carrier) return plain(404, 'There is no such account.');
    const verdict = webhooks.verify(request, new Date());
    if (!verdict.isGenuine) {
      this.log.warn('A request that claimed to come from a carrier was refused', { carrier, accountKey, reason: verdict.reason });
      return plain(403, 'The signature is not right.');
    }
    const notices = webhooks.read(request, asked);
    if (containsNul(notices)) return plain(400, 'A NUL character is in what was said.');
    const handle = () => this.handle(open, webhooks, notices, reference);
    return verdict.onceKey === undefined ? handle() : this.once(open, verdict.onceKey.slice(0, onceKeyLettersMax), handle);
  }

  /** Claims a request before handling it, since it may arrive twice at once. One that failed, or whose process died, may be repeated. */
  private async once({ account }: OpenCarrier, onceKey: string, handle: () => Promise<WebhookReply>): Promise<WebhookReply> {
    const { orgId, id } = account;
    const change = (statement: string) =>
      this.tenants.run(orgId, (manager) => manager.query<unknown[]>(statement, [id, onceKey]));
    const claimed = await this.tenants.run(orgId, (manager) => manager.query<unknown[]>(claim, [orgId, id, onceKey]));
    if (claimed.length === 0) {
      const heeded = await this.tenants.read(orgId, (manager) =>
        manager.query<unknown[]>('SELECT 1 FROM seen_requests WHERE account_id = $1 AND once_key = $2 AND heeded', [id, onceKey]),
      );
      return heeded.length > 0
        ? plain(409, 'This request was handled before.')
        : plain(503, 'This request is being handled. Retry in a moment.');
    }
    try {
      const reply = await handle();
      await change('UPDATE seen_requests SET heeded = true WHERE account_id = $1 AND once_key = $2');
      return reply;
    } catch (error) {
      // A claim that cannot be released expires.
      await change('DELETE FROM seen_requests WHERE account_id = $1 AND once_key = $2').catch(() => undefined);
      throw error;
    }
  }

  private async handle(
    open: OpenCarrier,
    webhooks: Webhooks,
    notices: readonly CallNotice[],
    reference?: string,
  ): Promise<WebhookReply> {
    let planned: Planned | undefined;
    for (const notice of notices.slice(0, noticesMax)) planned = (await this.notices.handle(open, notice, reference)) ?? planned;
    return planned ? webhooks.answer(planned.callId, planned.plan) : webhooks.acknowledged;
  }
}

/** Postgres cannot store NUL in a text, so such a request would fail and be repeated forever. */
function containsNul(notices: readonly CallNotice[]): boolean {
  return JSON.stringify(notices).includes('\\u0000');
}

const empty = new Uint8Array();
/** At all addresses but the one for status, the carrier waits for instructions. */
const asks: Readonly<Record<string, 'answer' | 'status' | undefined>> = {
  answer: 'answer',
  after: 'answer',
  document: 'answer',
  status: 'status',
};

/** Carriers' requests over HTTP. Their bodies stay raw, because signatures cover the exact bytes. */
@Controller('telephony')
export class WebhooksController {
  constructor(private readonly webhooks: CarrierWebhooks) {}

  @All([':carrier/:account/:what', ':carrier/:account/:what/:reference'])
  async receive(
    @Param('carrier') carrier: string,
    @Param('account') account: string,
    @Param('what') what: string,
    @Param('reference') reference: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = request.body instanceof Uint8Array ? request.body : empty;
    const { method, url: path, headers } = request;
    const purpose = asks[what];
    const answer =
      isKey(account) && purpose && (reference === undefined || isKey(reference))
        ? await this.webhooks
            .receive({ carrier, account, asked: purpose, ...(reference && { reference }) }, { method, path, headers, body })
            .catch(answerOfFault)
        : { status: 404, contentType: 'text/plain', body: 'There is no such account.' };
    await reply.status(answer.status).header('content-type', answer.contentType).send(answer.body);
  }
}

/** Chooses a status that makes the carrier retry where that may help; on other errors it hangs up. */
function answerOfFault(error: unknown): WebhookReply {
  const { status, isRetryable } = faultCatalogue[codeOf(error)];
  if (!isRetryable) throw error;
  return { status, contentType: 'text/plain', body: 'Come again in a moment.' };
}

function codeOf(error: unknown): FaultCode {
  if (error instanceof Fault) return error.code;
  // The carrier's API was unreachable while we answered, which may pass.
  return error instanceof ProviderFailure && error.retryable ? 'SERVICE_UNAVAILABLE' : 'INTERNAL';
}

function isKey(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
