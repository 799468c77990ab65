/** What every new agent says of itself, beside its name and template. */
export const newAgent = {
  AgentDescription: 'You are the front desk of a shop. Answer about products, prices and opening hours.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
};
