import {
  countActiveCalls, getCallTrends, getDashboardCount, getSalesLeaderboard, getSalesSummary, getTargetAchievement, setSalesTarget,
} from '@parley/contracts';
import { get, post, table } from './route';

/** Live counts and call statistics. */
export const dashboardRoutes = table('Dashboards', '/api/v1/external/dashboard-count', [
  get('/active-calls', countActiveCalls, 'Count the live calls', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/get-dashboard-count', getDashboardCount, 'Read call statistics', { keys: ['wsk'], needs: 'dashboards.CanView' }),
]);

/** Figures of the human sales representatives. */
export const salesPerformanceRoutes = table('Sales performance', '/api/v1/external/sales-performance', [
  post('/get-summary', getSalesSummary, 'Read the figures of the sales team', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/get-leaderboard', getSalesLeaderboard, 'Rank the representatives', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/get-target-achievement', getTargetAchievement, 'Read how far targets are reached', {
    keys: ['wsk'], needs: 'dashboards.CanView',
  }),
  post('/get-call-trends', getCallTrends, 'Read calls over time', { keys: ['wsk'], needs: 'dashboards.CanView' }),
  post('/set-target', setSalesTarget, 'Set a representative’s target', {
    keys: ['wsk'], needs: 'mobileSales.CanUpdate', faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);
