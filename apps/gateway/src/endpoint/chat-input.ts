import type { FastifyRequest } from 'fastify';

/** What a chat says outside of a form: its body, and the agent that its address names where the body names none. */
export function chatInput({ body, query }: Pick<FastifyRequest, 'body' | 'query'>): unknown {
  const { AgentKeyID } = Object(query);
  return AgentKeyID === undefined ? body : { AgentKeyID, ...Object(body) };
}
