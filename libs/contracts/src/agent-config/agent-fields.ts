import { filledText, RecordId, RecordIdOrZero, visibleText } from '../vocabulary';

/** What an agent builder decides about an agent, as the specification spells it. */
export const agentFields = {
  TemplateID: RecordIdOrZero,
  AgentName: visibleText(30),
  AgentDescription: filledText(1200, 10),
  AgentTypeID: RecordId,
  RegionTypeID: RecordId,
  TimeZoneID: RecordId,
  IndustryTypeID: RecordId,
  LanguageID: RecordId,
  ToneID: RecordId,
  IconID: RecordId,
  AdminID: RecordIdOrZero.nullish(),
};

/** Such decisions for examples. */
export const agentFieldsExample = {
  TemplateID: 0, AgentName: 'Maya', AgentDescription: 'You are Maya, the front desk of Demo Bazaar. Answer about orders only.',
  AgentTypeID: 1, RegionTypeID: 1, TimeZoneID: 1, IndustryTypeID: 1, LanguageID: 1, ToneID: 1, IconID: 1, AdminID: 31,
};
