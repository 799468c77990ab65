import { type ContractName, nameOf } from '@parley/contracts';
import type { Endpoint, HandWritten, Route } from '../../endpoint/endpoint';
import { handWritten } from '../hand-written';
import { agentConfigRoutes, agentRoutes, lookupRoutes } from './agents.routes';
import { auditRoutes, creditRoutes, integrationRoutes, tokenRoutes } from './account.routes';
import { callRoutes, campaignRoutes, numberRoutes } from './telephony.routes';
import { conversationRoutes, dashboardRoutes, logRoutes, salesPerformanceRoutes } from './figures.routes';
import { businessProfileRoutes, catalogRoutes, documentRoutes, faqRoutes, knowledgeRoutes } from './knowledge.routes';
import { contactRoutes, salesTeamRoutes, teamRoutes } from './team.routes';

/** Every endpoint that is one request and one reply. What streams is in hand-written. */
export const everyRoute: readonly Route[] = [
  ...teamRoutes,
  ...salesTeamRoutes,
  ...contactRoutes,
  ...lookupRoutes,
  ...agentRoutes,
  ...agentConfigRoutes,
  ...knowledgeRoutes,
  ...documentRoutes,
  ...faqRoutes,
  ...businessProfileRoutes,
  ...catalogRoutes,
  ...conversationRoutes,
  ...logRoutes,
  ...integrationRoutes,
  ...tokenRoutes,
  ...creditRoutes,
  ...auditRoutes,
  ...campaignRoutes,
  ...numberRoutes,
  ...callRoutes,
  ...dashboardRoutes,
  ...salesPerformanceRoutes,
];

/** Messages that no service answers yet: the gateway answers 501 NOT_IMPLEMENTED for them. A line goes away with its handler. */
export const notYet: readonly ContractName[] = [];

const unanswered: ReadonlySet<string> = new Set(notYet);

/** Whether some service answers this message. */
export function isAnswered({ contract }: { contract: { subject: string } }): boolean {
  return !unanswered.has(nameOf(contract));
}

/** Every endpoint of the public API, and which of them a service answers by now. */
export interface RouteTable {
  readonly rows: readonly Route[];
  readonly handWritten: readonly HandWritten[];
  isAnswered(endpoint: Endpoint): boolean;
}

export const publicRoutes: RouteTable = { rows: everyRoute, handWritten, isAnswered };
