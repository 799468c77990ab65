import type { SchemaDefinition } from '@parley/database';
import { agentConfig } from '@parley/apps/agent-config';
import { conversation } from '@parley/apps/conversation';
import { dashboards } from '@parley/apps/dashboards';
import { gateway } from '@parley/apps/gateway';
import { knowledgeIngest } from '@parley/apps/knowledge-ingest';
import { speech } from '@parley/apps/speech';
import { teamSales } from '@parley/apps/team-sales';
import { telephonyBridge } from '@parley/apps/telephony-bridge';

/** The services behind the door, in no order: each starts alone and finds the others when it asks. */
export const servicesBehindTheDoor = [
  agentConfig,
  conversation,
  dashboards,
  knowledgeIngest,
  speech,
  teamSales,
  telephonyBridge,
] as const;

/** Every service of the platform. The gateway is last: who finds the door open finds everyone at home. */
export const services = [...servicesBehindTheDoor, gateway] as const;

/** Every schema of the platform: each belongs to one service. */
export const schemas: readonly SchemaDefinition[] = services.flatMap(({ database }) => (database ? [database] : []));
