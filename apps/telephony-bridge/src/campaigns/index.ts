// For benchmarks.
export { CampaignContacts, type NewContact } from './campaign-contacts';
export { CampaignRecords } from './campaign-records';
export { Campaign } from './campaign.entity';
export { CampaignTallies } from './campaign-records';
export { duePick, StoreClock } from './claim-queries';
export { CampaignEngine } from './plan/engine';
export type { Telephone } from './plan/ports';
export { PostgresCampaignStore } from './postgres-campaign-store';
export * from './simulation/simulate-campaign';
