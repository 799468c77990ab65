// The messages of every service, under their names in the catalogue.
export * from './agent-config/runtime-config';
export * from './agent-config/agents';
export * from './agent-config/lookups';
export * from './agent-config/providers';
export * from './conversation/sessions';
export * from './conversation/chat';
export * from './conversation/logs';
export * from './conversation/prompts';
export * from './conversation/turn-facts';
export * from './conversation/turn-parts';
export * from './conversation/turns';
export * from './dashboards/agent-figures';
export * from './dashboards/call-counts';
export * from './dashboards/question-figures';
export * from './dashboards/sales-performance';
export * from './gateway/audit';
export * from './gateway/credits';
export * from './gateway/keys';
export * from './gateway/operator-terms';
export * from './gateway/widgets';
export {
  BusinessInfoFields,
  SentBusinessInfo,
  BusinessProfile,
  Holidays,
  WorkingHours,
  saveBusinessProfile,
  listBusinessProfiles,
  getBusinessProfile,
  readBusinessProfile,
  deleteBusinessProfile,
} from './knowledge-ingest/business-profile';
export * from './knowledge-ingest/catalog';
export * from './knowledge-ingest/documents';
export * from './knowledge-ingest/faqs';
export * from './knowledge-ingest/knowledge-bases';
export * from './knowledge-ingest/search';
export * from './speech/voice-channels';
export * from './speech/text-and-speech';
export * from './team-sales/contacts';
export * from './team-sales/members';
export * from './team-sales/invites';
export * from './team-sales/representatives';
export * from './telephony-bridge/call-control';
export * from './telephony-bridge/calls';
export * from './telephony-bridge/calling-hours';
export * from './telephony-bridge/campaigns';
export * from './telephony-bridge/campaign-contacts';
export * from './telephony-bridge/campaign-webhooks';
export * from './telephony-bridge/numbers';
