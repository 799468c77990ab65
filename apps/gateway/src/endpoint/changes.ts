import type { Endpoint } from './endpoint';

/** Whether a request to an endpoint is a management action: it changes something that the organization keeps. */
export function changesSomething(endpoint: Endpoint): boolean {
  if (endpoint.method === 'DELETE') return true;
  return endpoint.method === 'POST' && !endpoint.charges && endpoint.needs !== 'key-kind' && !onlyViews(endpoint);
}

/** Lists, searches and exports are asked for by POST where their filters are long. They need no more than the right to look. */
function onlyViews({ needs }: Endpoint): boolean {
  return typeof needs === 'string' && needs.endsWith('.CanView');
}
