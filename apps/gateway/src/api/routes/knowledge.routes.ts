import {
  clearVectors,
  deleteBusinessProfile,
  deleteCatalogItem,
  deleteDocument,
  deleteFaq,
  deleteKnowledgeBase,
  getBusinessProfile,
  getCatalogItem,
  getDocument,
  getDocumentStatus,
  getFaq,
  getKnowledgeBase,
  importBusiness,
  listBusinessProfiles,
  listCatalog,
  listDocuments,
  listFaqs,
  listKnowledgeBases,
  listUnanswered,
  saveBusinessProfile,
  saveCatalog,
  saveFaqs,
  saveKnowledgeBase,
  searchKnowledge,
  readBusinessProfile,
  readCatalogItems,
  readFaqs,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

/** Knowledge bases themselves; their contents are in knowledge-sources. */
export const knowledgeRoutes = table('Knowledge', '/api/v1/external/kb', [
  post('/add-update-kb', saveKnowledgeBase, 'Create or update a knowledge base', {
    before: getKnowledgeBase,
    keys: ['wsk'],
    needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: ['KBKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/kb-list', listKnowledgeBases, 'List knowledge bases', { keys: ['wsk'], needs: 'knowledge.CanView' }),
  get('/get-kb', getKnowledgeBase, 'Read one knowledge base', {
    keys: ['wsk'],
    needs: 'knowledge.CanView',
    faults: ['NOT_FOUND'],
  }),
  del('/:KBKeyID', deleteKnowledgeBase, 'Delete a knowledge base', {
    before: getKnowledgeBase,
    keys: ['wsk'],
    needs: 'knowledge.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/clear-qdrant', clearVectors, 'Wipe the vectors of a collection', {
    keys: ['wsk'],
    needs: 'knowledge.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/import', importBusiness, 'Import all data of a business: profile, holidays, catalogue, FAQs', {
    keys: ['wsk'],
    needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: 'rows' },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/unanswered', listUnanswered, 'List customers’ questions that the agents could not answer', {
    keys: ['wsk'],
    // What callers said may contain names, which cannot be masked.
    needs: 'logs.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/search', searchKnowledge, 'Preview what an agent would retrieve', {
    keys: ['wsk'],
    needs: 'knowledge.CanView',
    faults: ['NOT_FOUND'],
  }),
]);

const mayView = { keys: ['wsk'], needs: 'knowledge.CanView', faults: ['NOT_FOUND'] } as const;
const mayDelete = { keys: ['wsk'], needs: 'knowledge.CanDelete', faults: ['NOT_FOUND'] } as const;
const maySave = (...by: string[]) =>
  ({
    keys: ['wsk'],
    needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }) as const;

/** Documents; the upload itself is written by hand. */
export const documentRoutes = table('Knowledge', '/api/v1/external/kb-doc', [
  post('/list', listDocuments, 'List documents', mayView),
  get('/get', getDocument, 'Read one document', mayView),
  get('/status', getDocumentStatus, 'Read the progress of a document', mayView),
  del('/:KBDocumentKeyID', deleteDocument, 'Delete a document', { before: getDocument, ...mayDelete }),
]);

export const faqRoutes = table('Knowledge', '/api/v1/external/kb-faq', [
  post('/add-update-faq', saveFaqs, 'Create or edit FAQs', { before: readFaqs, ...maySave('faqs[].KBFAQID') }),
  post('/list', listFaqs, 'List FAQs', mayView),
  get('/get', getFaq, 'Read one FAQ', mayView),
  del('/:KBFAQKeyID', deleteFaq, 'Delete an FAQ', { before: getFaq, ...mayDelete }),
]);

export const businessProfileRoutes = table('Knowledge', '/api/v1/external/kb-business-info', [
  post('/add-update', saveBusinessProfile, 'Save the business profile and its hours', {
    before: getBusinessProfile,
    ...maySave('businessInfo.KBBusinessInfoID'),
  }),
  post('/list', listBusinessProfiles, 'List business profiles', mayView),
  get('/get', getBusinessProfile, 'Read the profile of a knowledge base', mayView),
  del('/:KBBusinessInfoKeyID', deleteBusinessProfile, 'Delete a business profile', { before: readBusinessProfile, ...mayDelete }),
]);

export const catalogRoutes = table('Knowledge', '/api/v1/external/kb-catalog', [
  post('/add-update', saveCatalog, 'Save products and services', {
    before: readCatalogItems,
    ...maySave('products[].product_id', 'services[].service_id'),
  }),
  post('/list', listCatalog, 'List products and services', mayView),
  get('/get', getCatalogItem, 'Read a product or service', mayView),
  del('/:CatalogItemKeyID', deleteCatalogItem, 'Delete a product or service', { before: getCatalogItem, ...mayDelete }),
]);
