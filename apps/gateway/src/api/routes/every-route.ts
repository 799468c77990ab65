import { agentConfigRoutes } from './agent-config.routes';
import { agentRoutes } from './agents.routes';
import { auditRoutes, creditRoutes } from './billing.routes';
import { campaignRoutes } from './campaigns.routes';
import { conversationRoutes, logRoutes } from './conversation.routes';
import { dashboardRoutes, salesPerformanceRoutes } from './dashboards.routes';
import { integrationRoutes, tokenRoutes } from './integrations.routes';
import { businessProfileRoutes, catalogRoutes, documentRoutes, faqRoutes } from './knowledge-sources.routes';
import { knowledgeRoutes } from './knowledge.routes';
import { lookupRoutes } from './lookups.routes';
import type { Route } from '../../endpoint/route';
import { contactRoutes, salesTeamRoutes } from './sales.routes';
import { teamRoutes } from './team.routes';
import { callRoutes, numberRoutes } from './telephony.routes';

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
