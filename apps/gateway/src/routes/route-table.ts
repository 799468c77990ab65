import { everyRoute } from './every-route';
import { type HandWritten, handWritten } from './hand-written';
import { isAnswered } from './not-yet';
import type { Route } from './route';

/** Every endpoint of the public API, and which of them a service answers by now. */
export interface RouteTable {
  readonly rows: readonly Route[];
  readonly handWritten: readonly HandWritten[];
  isAnswered(endpoint: Route | HandWritten): boolean;
}

export const publicRoutes: RouteTable = { rows: everyRoute, handWritten, isAnswered };
