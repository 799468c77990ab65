export {
  BusinessInfoFields,
  SentBusinessInfo,
  BusinessProfile,
  saveBusinessProfile,
  listBusinessProfiles,
  getBusinessProfile,
  deleteBusinessProfile,
} from './business-profile';
export * from './catalog';
export * from './documents';
export * from './faqs';
export * from './knowledge-bases';
export * from './search';
