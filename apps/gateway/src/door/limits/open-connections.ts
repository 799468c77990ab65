import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import { LRUCache } from 'lru-cache';

/** The close code for a socket whose credential is no longer valid. */
const noValidCredential = 4401;

const agentDeleted = 'the agent was deleted';

interface Closable {
  close(code: number, reason: string): void;
}

/** The credential that opened a socket. The socket stays open for as long as the credential is valid. */
export interface Credential {
  readonly principal: Principal;
  /** The widget that the token or page belongs to, and the page's origin if it was the only credential. */
  readonly widget?: { readonly keyId: string; readonly origin?: string };
}

/** A request admitted just before its key or agent ended may still add a socket. */
const justEnded = { max: 10_000, ttl: 60_000 };

/** This gateway's sockets and the credentials that opened them, so that they close when a key or widget ends. */
@Injectable()
export class OpenConnections {
  private readonly sockets = new Map<Closable, Credential>();
  private readonly ended = new LRUCache<string, true>(justEnded);
  private readonly endedAgents = new LRUCache<number, true>(justEnded);
  /** The agents that sockets turned out to speak with, which tokens and principals need not name. */
  private readonly agents = new WeakMap<Credential, number>();

  /** Tracks a socket until the returned function is called, which its owner does when the socket closes. */
  add(credential: Credential, socket: Closable): () => void {
    if (this.ended.get(credential.principal.keyId)) socket.close(noValidCredential, 'the key has ended');
    this.sockets.set(socket, credential);
    return () => void this.sockets.delete(socket);
  }

  /** The credentials of the sockets now open. */
  get credentials(): readonly Credential[] {
    return [...this.sockets.values()];
  }

  /** Closes the connections of one key, and those it opens within the next minute. */
  endKey(keyId: string): void {
    this.ended.set(keyId, true);
    this.end(({ principal }) => principal.keyId === keyId);
  }

  /** Notes which agent a socket speaks with, so that it closes with that agent. */
  noteAgent(credential: Credential, agentId: number): void {
    this.agents.set(credential, agentId);
    if (this.endedAgents.get(agentId)) this.end((each) => each === credential, agentDeleted);
  }

  /** Closes the connections to one agent, whoever opened them, and those that reach it within the next minute. */
  endAgent(agentId: number): void {
    this.endedAgents.set(agentId, true);
    this.end((each) => (this.agents.get(each) ?? each.principal.agentId) === agentId, agentDeleted);
  }

  /** Closes every socket with a matching credential. */
  end(fits: (credential: Credential) => boolean, reason = 'the key has ended'): void {
    for (const [socket, credential] of this.sockets) {
      if (!fits(credential)) continue;
      this.sockets.delete(socket);
      socket.close(noValidCredential, reason);
    }
  }
}
