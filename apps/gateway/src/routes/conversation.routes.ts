import { askText, getConversationLog, getHistory, listConversationLogs } from '@parley/contracts';
import { get, post, table } from './route';

/** Text chat and its history; the chat endpoint of all four modes is written by hand. */
export const conversationRoutes = table('Conversation', '/api/v1', [
  post('/ttt', askText, 'Ask an agent by text', {
    keys: ['agt', 'wsk'],
    needs: 'agents.CanView',
    charges: ['TTT_API'],
    envelope: 'flat',
    faults: ['NOT_FOUND', 'SESSION_BUSY', 'MODEL_PROVIDER_UNAVAILABLE'],
  }),
  get('/external/history', getHistory, 'Read the history of a session', {
    keys: ['agt', 'wsk'], needs: 'logs.CanView', envelope: 'flat', faults: ['NOT_FOUND'],
  }),
]);

export const logRoutes = table('Conversation logs', '/api/v1/external/logs', [
  post('/conversational-log-list', listConversationLogs, 'List conversations', { keys: ['wsk'], needs: 'logs.CanView' }),
  get('/get-conversational-log', getConversationLog, 'Read one conversation', {
    keys: ['wsk'], needs: 'logs.CanView', faults: ['NOT_FOUND'],
  }),
]);
