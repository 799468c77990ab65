import {
  clearVectors,
  deleteKnowledgeBase,
  getKnowledgeBase,
  importBusiness,
  listKnowledgeBases,
  listUnanswered,
  saveKnowledgeBase,
  searchKnowledge,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

/** Knowledge bases as a whole; what is in them is in knowledge-sources. */
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
  post('/import', importBusiness, 'Import a whole business: profile, holidays, catalogue, FAQs', {
    keys: ['wsk'],
    needs: 'knowledge.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/unanswered', listUnanswered, 'List what customers asked and the agents did not know', {
    keys: ['wsk'],
    needs: 'knowledge.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/search', searchKnowledge, 'See what an agent would retrieve', {
    keys: ['wsk'],
    needs: 'knowledge.CanView',
    faults: ['NOT_FOUND'],
  }),
]);
