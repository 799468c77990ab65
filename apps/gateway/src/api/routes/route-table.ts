import { everyRoute } from './every-route';
import type { Endpoint } from '../../endpoint/endpoint';
import type { HandWritten } from '../../endpoint/hand-written';
import { handWritten } from '../hand-written';
import { isAnswered } from './not-yet';
import type { Route } from '../../endpoint/route';

/** Every endpoint of the public API, and which of them a service answers by now. */
export interface RouteTable {
  readonly rows: readonly Route[];
  readonly handWritten: readonly HandWritten[];
  isAnswered(endpoint: Endpoint): boolean;
}

export const publicRoutes: RouteTable = { rows: everyRoute, handWritten, isAnswered };
