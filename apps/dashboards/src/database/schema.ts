import type { SchemaDefinition } from '@parley/database';
import { CreateDashboards1763900000000 } from './migrations/1763900000000-create-dashboards';
import { AddDays1764000000000 } from './migrations/1764000000000-add-days';
import { AddProviderErrors1764100000000 } from './migrations/1764100000000-add-provider-errors';
import { KnowCampaignContacts1764300000000, KnowMachines1764400000000 } from './migrations/1764400000000-know-machines';
import { AddLatencyDays1764500000000 } from './migrations/1764500000000-add-latency-days';
import { PackLatencyQuarters1764600000000 } from './migrations/1764600000000-pack-latency-quarters';
import { IndexReachedContacts1764700000000 } from './migrations/1764700000000-index-reached-contacts';
import { CountLiveSound1764800000000 } from './migrations/1764800000000-count-live-sound';
import { LetRebuildsWriteDays1764200000000 } from './migrations/1764200000000-let-rebuilds-write-days';

/** The tables: facts as reported, figures summed from them, and campaigns, targets and reading positions, which are neither. */
export const dashboardsSchema: SchemaDefinition = {
  schema: 'dashboards',
  entities: [],
  migrations: [
    CreateDashboards1763900000000,
    AddDays1764000000000,
    AddProviderErrors1764100000000,
    LetRebuildsWriteDays1764200000000,
    KnowCampaignContacts1764300000000,
    KnowMachines1764400000000,
    AddLatencyDays1764500000000,
    PackLatencyQuarters1764600000000,
    IndexReachedContacts1764700000000,
    CountLiveSound1764800000000,
  ],
};
