import type { SchemaDefinition } from '@parley/database';
import { AuditEntryRow } from '../door/audit/chain';
import { IntegrationKeyRow } from '../door/access/integration-key';
import {
  CreateCredits1763730000000,
  KeepPricesOfHolds1764910000000,
  NameKeysOfHolds1764900000000,
  NoteUsedCredits1763900100000,
} from './migrations/1763730000000-credits';
import { HoldWidgetDays1764800000000, LimitWidgets1763900200000 } from './migrations/1763900200000-limit-widgets';
import {
  AddCallersToClaims1763732000000,
  CreateIdempotentRequests1763731000000,
  StoreLargeAnswers1764920000000,
} from './migrations/1763731000000-idempotent-requests';
import { CreateKeys1763720000000 } from './migrations/1763720000000-create-keys';
import { CreateAudit1763720000001, SealAudit1763733000000 } from './migrations/1763720000001-create-audit';
import { CreateWidgets1763720000002 } from './migrations/1763720000002-create-widgets';
import { CreateOperatorTerms1763950000000 } from './migrations/1763950000000-create-operator-terms';
import { NoteMakersOfKeys1763960000000 } from './migrations/1763960000000-note-makers-of-keys';
import { ArchiveOldLines1764700000000, EraseBooksOfDeleted1764930000000 } from './migrations/1764700000000-archive-old-lines';
import { WidgetRow } from '../door/access/widgets.service';

/** Everything that the gateway keeps. */
export const gatewaySchema: SchemaDefinition = {
  schema: 'gateway',
  entities: [AuditEntryRow, IntegrationKeyRow, WidgetRow],
  migrations: [
    CreateKeys1763720000000,
    CreateAudit1763720000001,
    CreateWidgets1763720000002,
    CreateCredits1763730000000,
    CreateIdempotentRequests1763731000000,
    AddCallersToClaims1763732000000,
    SealAudit1763733000000,
    NoteUsedCredits1763900100000,
    LimitWidgets1763900200000,
    CreateOperatorTerms1763950000000,
    NoteMakersOfKeys1763960000000,
    ArchiveOldLines1764700000000,
    HoldWidgetDays1764800000000,
    NameKeysOfHolds1764900000000,
    KeepPricesOfHolds1764910000000,
    StoreLargeAnswers1764920000000,
    EraseBooksOfDeleted1764930000000,
  ],
  // The line that says so, and what operators did.
  keptOfDeleted: ['audit_entries', 'audit_heads', 'operator_actions'],
};
