import { answerTo, challengeIn, type Credentials } from '../message/digest';
import type { SipRequest, SipResponse } from '../message/sip-message';
import type { ClientTransaction, ResponseListener } from '../transaction/client-transaction';
import type { Transactions } from '../transaction/transactions';
import type { SipPeer } from '../transport/sip-transport';

const attemptsMax = 3;

/** Makes the request anew with each attempt, since each needs a number of its own; the headers answer a challenge. */
export type MakeRequest = (proof: readonly (readonly [string, string])[]) => SipRequest;

/** One request of ours that answers the challenges it meets. The listener sees only what is left to decide. */
export class Exchange {
  private current: ClientTransaction;
  private attempts = 0;
  /** What proved us; the ACK of an INVITE bears it too. */
  proof: readonly (readonly [string, string])[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly options: {
      readonly make: MakeRequest;
      readonly peer: SipPeer;
      readonly credentials?: Credentials | undefined;
      readonly listener: ResponseListener;
    },
  ) {
    this.current = this.attempt();
  }

  /** The request as it went out last. */
  get request(): SipRequest {
    return this.current.request;
  }

  /** False when there is nothing to cancel yet, or no more. */
  cancel(): boolean {
    return this.transactions.cancel(this.current);
  }

  private attempt(): ClientTransaction {
    this.attempts += 1;
    const attempt = this.attempts;
    const request = this.options.make(this.proof);
    const { listener } = this.options;
    return this.transactions.send(request, this.options.peer, {
      response: (response) => {
        if (attempt !== this.attempts) return;
        if (!this.proved(request, response)) listener.response(response);
        else this.current = this.attempt();
      },
      lost: () => listener.lost(),
    });
  }

  /** Whether the response was a challenge that another attempt answers. A second one counts only if our nonce had grown old. */
  private proved(request: SipRequest, response: SipResponse): boolean {
    const { credentials } = this.options;
    const isProxy = response.status === 407;
    if (!credentials || (response.status !== 401 && !isProxy) || this.attempts >= attemptsMax) return false;
    const challenge = challengeIn(response.headers, isProxy ? 'Proxy-Authenticate' : 'WWW-Authenticate');
    const isStale = challenge?.stale?.toLowerCase() === 'true';
    const name = isProxy ? 'Proxy-Authorization' : 'Authorization';
    const others = this.proof.filter(([header]) => header !== name);
    if (!challenge || (others.length < this.proof.length && !isStale)) return false;
    this.proof = [...others, [name, answerTo(challenge, credentials, { method: request.method, uri: request.uri, count: 1 })]];
    return true;
  }
}
