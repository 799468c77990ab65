import { getConversationLog, getHistory, listConversationLogs } from '@parley/contracts';
import { get, post, table } from '../../endpoint/route';

/** The history of a chat; the endpoints that answer questions are written by hand. */
export const conversationRoutes = table('Conversation', '/api/v1', [
  get('/external/history', getHistory, 'Read the history of a session', {
    keys: ['agt', 'wsk'],
    needs: 'logs.CanView',
    envelope: 'flat',
    faults: ['NOT_FOUND'],
  }),
]);

export const logRoutes = table('Conversation logs', '/api/v1/external/logs', [
  post('/conversational-log-list', listConversationLogs, 'List conversations', { keys: ['wsk'], needs: 'logs.CanView' }),
  get('/get-conversational-log', getConversationLog, 'Read one conversation', {
    keys: ['wsk'],
    needs: 'logs.CanView',
    faults: ['NOT_FOUND'],
  }),
]);
