import { ProviderFailure } from '@parley/ports';
import { type Logger, Metrics } from '@parley/service-kit';
import { LiveMetrics, SpeechMetrics } from './metrics';

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

it('says once a minute what a speech provider said, for each provider and kind of failure', () => {
  const warn = jest.fn();
  const speech = new SpeechMetrics(new Metrics().metricsOf('speech'), { warn } as unknown as Logger);
  const failure = new ProviderFailure('deepgram', 'status 401', { retryable: false });
  const late = new ProviderFailure('deepgram', 'nothing came', { retryable: true });
  for (const each of [failure, failure, late, failure, undefined])
    speech.heard({ provider: 'deepgram', heardMs: 10, firstTextMs: undefined, outcome: 'failed', failure: each });
  expect(warn.mock.calls).toEqual([
    ['A speech provider fails', { provider: 'deepgram', doing: 'hear', kind: 'REFUSED', says: 'deepgram: status 401' }],
    ['A speech provider fails', { provider: 'deepgram', doing: 'hear', kind: 'UNAVAILABLE', says: 'deepgram: nothing came' }],
  ]);
});
