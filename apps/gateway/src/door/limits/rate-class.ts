import { changesSomething } from '../../endpoint/changes';
import type { Endpoint } from '../../endpoint/endpoint';

/** Kinds of requests that are limited apart: a page of a list costs us less than a minute of speech. */
export const rateClasses = ['read', 'write', 'chat', 'speech', 'upload', 'ws-connect'] as const;
export type RateClass = (typeof rateClasses)[number];

/** The class of an endpoint, by what it does. */
export function rateClassOf(endpoint: Endpoint): RateClass {
  if (endpoint.method === 'WS') return 'ws-connect';
  if (endpoint.charges) return endpoint.charges.includes('TTT_API') ? 'chat' : 'speech';
  if ('accepts' in endpoint && endpoint.accepts.includes('multipart/form-data')) return 'upload';
  return changesSomething(endpoint) ? 'write' : 'read';
}
