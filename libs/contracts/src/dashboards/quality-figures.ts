import { z } from 'zod';
import { defineRequest } from '../messages';
import { described } from '../vocabulary';
import { AgentFiguresQuery } from './agent-figures';

const Count = z.int().min(0);
const agentsMax = 10_000;

const QualityFigures = z.object({
  calls: Count.meta({ description: 'Ended calls whose bridge told how they sounded.' }),
  lateFrameRate: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Frames that came too late to be played ÷ all frames of these calls.' }),
  lostFrameRate: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Frames that never came ÷ all frames of calls over lines that see single packets.' }),
  averageJitterMs: z.number().min(0).meta({ description: 'The mean jitter of these calls, each call counting once.' }),
  oneWayCalls: Count.meta({ description: 'Calls in which one side sent no sound although the call was answered.' }),
});
const figures = { calls: 40, lateFrameRate: 0.002, lostFrameRate: 0.001, averageJitterMs: 6.5, oneWayCalls: 1 };

export const getVoiceQuality = defineRequest({
  subject: 'dashboards.voice-quality.get',
  request: AgentFiguresQuery,
  reply: described(
    'VoiceQualityFigures',
    'How telephone calls sounded, in all, by agent and by day.',
    z.object({
      ...QualityFigures.shape,
      agents: z.array(z.object({ AgentID: z.int(), ...QualityFigures.shape })).max(agentsMax),
      series: z.array(z.object({ date: z.iso.date(), ...QualityFigures.shape })).max(3660),
    }),
    { ...figures, agents: [{ AgentID: 12, ...figures }], series: [{ date: '2026-03-02', ...figures }] },
  ),
});
