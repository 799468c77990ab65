import { Metrics } from '@parley/service-kit';
import { LiveMetrics } from './metrics';

describe('LiveMetrics', () => {
  it('counts a line that missed more frames than it was sent as late throughout', async () => {
    const metrics = new Metrics();
    const live = new LiveMetrics(metrics.metricsOf('speech'));
    live.ended('USER_ENDED', { frames: 3, lateFrames: 40 });
    const text = await metrics.exposition();
    expect(text).toMatch(/parley_voice_frames_total\{[^}]*outcome="late"[^}]*\} 3/);
    expect(text).toMatch(/parley_voice_frames_total\{[^}]*outcome="in time"[^}]*\} 0/);
  });
});
