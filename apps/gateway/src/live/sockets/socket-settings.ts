import proxyAddress from '@fastify/proxy-addr';
import type { GatewayConfig } from '../../config';
import type { SlotLimits } from './connection-slots';

/** What an operator has set about sockets. */
export class SocketSettings implements SlotLimits {
  readonly inAll: number;
  readonly perKey: number;
  readonly perOrganization: number;
  readonly startMs: number;
  readonly idleMs: number;
  readonly pingMs: number;
  /** Whether a proxy is believed about where its client is. */
  readonly trusts: (address: string, hop: number) => boolean;

  constructor(config: GatewayConfig) {
    this.inAll = config.SOCKETS_MAX;
    this.perKey = config.SOCKETS_PER_KEY;
    this.perOrganization = config.SOCKETS_PER_ORGANIZATION;
    this.startMs = config.SOCKET_START;
    this.idleMs = config.SOCKET_IDLE;
    this.pingMs = config.SOCKET_PING;
    this.trusts = proxyAddress.compile(config.TRUSTED_PROXIES);
  }
}
