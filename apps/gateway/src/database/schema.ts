import type { SchemaDefinition } from '@parley/database';
import { AuditEntryRow } from '../audit/audit-entry.entity';
import { IntegrationKeyRow } from '../keys/integration-key.entity';
import { CreateCredits1763730000000 } from '../credits/credits.migration';
import { CreateIdempotentRequests1763731000000 } from '../idempotency/idempotency.migration';
import { CreateKeys1763720000000 } from './migrations/1763720000000-create-keys';
import { CreateAudit1763720000001 } from './migrations/1763720000001-create-audit';
import { CreateWidgets1763720000002 } from './migrations/1763720000002-create-widgets';
import { WidgetRow } from '../widgets/widget.entity';

/** Everything that the gateway keeps. */
export const gatewaySchema: SchemaDefinition = {
  schema: 'gateway',
  entities: [AuditEntryRow, IntegrationKeyRow, WidgetRow],
  migrations: [
    CreateKeys1763720000000, CreateAudit1763720000001, CreateWidgets1763720000002, CreateCredits1763730000000,
    CreateIdempotentRequests1763731000000,
  ],
};
