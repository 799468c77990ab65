import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, OptionalDateBound, RecordId, startAfterEnd, startsBeforeEnd, TimeZoneName, Uuid } from '../vocabulary';
import { CallCounts } from './call-counts';

const figures = {
  totalCalls: 50,
  completed: 40,
  answered: 42,
  missed: 6,
  failed: 2,
  cancelled: 1,
  open: 1,
  averageDurationSeconds: 81.5,
  contactCount: 200,
  contactsReached: 42,
  answerRate: 0.84,
};

const CampaignFigures = z.object({
  ...CallCounts.shape,
  contactCount: z.int().min(0).meta({ description: 'Contacts of the campaign when its status last changed.' }),
  contactsReached: z.int().min(0).meta({ description: 'Different contacts with an answered call in the span.' }),
  answerRate: z.number().min(0).max(1).meta({ description: 'answered ÷ totalCalls; 0 without calls.' }),
});

export const getCampaignDashboard = defineRequest({
  subject: 'dashboards.campaign.get',
  request: described(
    'CampaignDashboardQuery',
    'Which campaigns (all of them by default) in which span.',
    z
      .object({
        campaignIds: z.array(RecordId).max(1000).optional(),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        timeZone: TimeZoneName.optional(),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { campaignIds: [3], startDate: '2026-03-01', endDate: null },
    {},
  ),
  reply: described(
    'CampaignDashboard',
    'Figures of each campaign and of all together; the newest thousand. `total` is the sum of what is listed.',
    z.object({
      total: CampaignFigures,
      campaigns: z
        .array(CampaignFigures.extend({ CampaignKeyID: Uuid, CampaignID: z.int(), CampaignName: z.string(), status: z.string() }))
        .max(1000),
    }),
    {
      total: figures,
      campaigns: [
        {
          ...figures,
          CampaignKeyID: '607284a5-3051-4273-8e9f-1a3b5c7d9e1f',
          CampaignID: 3,
          CampaignName: 'March renewals',
          status: 'RUNNING',
        },
      ],
    },
  ),
});
