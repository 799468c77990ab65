import {
  countActiveCalls,
  eraseConversation,
  getCallTrends,
  getConversationFigures,
  getConversationLog,
  getDashboardCount,
  getFaqHits,
  getHistory,
  getLatencyFigures,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  getTodayCounts,
  getUnansweredQuestions,
  getUsageFigures,
  getVoiceQuality,
  listConversationLogs,
  setSalesTarget,
  readSalesTarget,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

const seen = { keys: ['wsk'], needs: 'dashboards.CanView', faults: ['NOT_FOUND'] } as const;

/** Live counts, call statistics and figures of agents. */
export const dashboardRoutes = table('Dashboards', '/api/v1/external/dashboard-count', [
  get('/active-calls', countActiveCalls, 'Count the live calls', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/get-dashboard-count', getDashboardCount, 'Read call statistics', seen),
  get('/get-today-count', getTodayCounts, 'Read today’s call statistics', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/get-latency', getLatencyFigures, 'Read how long callers wait, split into parts', seen),
  post('/get-usage', getUsageFigures, 'Read credits and tokens by agent and day', {
    ...seen,
    needs: 'billing.CanView',
  }),
  post('/get-conversation-figures', getConversationFigures, 'Read how conversations end and where they are cut off', seen),
  post('/get-unanswered-questions', getUnansweredQuestions, 'List the questions that remain unanswered', {
    ...seen,
    needs: 'logs.CanView',
  }),
  post('/get-faq-hits', getFaqHits, 'Read how often stored answers are given', seen),
  post('/get-voice-quality', getVoiceQuality, 'Read the sound quality of telephone calls', seen),
]);

/** Figures of the human sales representatives. */
export const salesPerformanceRoutes = table('Sales performance', '/api/v1/external/sales-performance', [
  post('/get-summary', getSalesSummary, 'Read the figures of the sales team', seen),
  post('/get-leaderboard', getSalesLeaderboard, 'Rank the representatives', seen),
  post('/get-target-achievement', getTargetAchievement, 'Read the progress towards targets', seen),
  post('/get-call-trends', getCallTrends, 'Read calls over time', seen),
  post('/set-target', setSalesTarget, 'Set a representative’s target', {
    before: readSalesTarget,
    keys: ['wsk'],
    needs: 'mobileSales.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);

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
  post('/conversational-log-list', listConversationLogs, 'List conversations', {
    keys: ['wsk'],
    needs: 'logs.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/get-conversational-log', getConversationLog, 'Read one conversation', {
    keys: ['wsk'],
    needs: 'logs.CanView',
    faults: ['NOT_FOUND'],
  }),
  del('/conversational-log/:ConversationalLogKeyID', eraseConversation, 'Erase what was said in a conversation', {
    keys: ['wsk'],
    needs: 'logs.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);
