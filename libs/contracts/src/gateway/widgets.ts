import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, createdOnExample, described, filledText, listOf, queryPaging, Timestamp, Uuid } from '../vocabulary';

const widget = '91c2d3e4-5f60-4718-8293-a4b5c6d7e8f9';

/** `https://shop.example`: scheme, host and port, nothing after. */
const Origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[^\s/?#@]+$/, 'must be an origin such as https://shop.example');

/** A chat widget that may be embedded into the pages of its allowed origins. */
export const Widget = described(
  'Widget',
  'A chat widget. `publicId` is what the page embeds; it is no secret.',
  z.object({
    WidgetKeyID: Uuid,
    WidgetID: z.int(),
    publicId: z.string(),
    name: z.string(),
    AgentKeyID: Uuid,
    AgentID: z.int(),
    allowedOrigins: z.array(Origin),
    isActive: z.boolean(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    WidgetKeyID: widget, WidgetID: 2, publicId: 'wdg_3kZpQ81n', name: 'Shop front', AgentKeyID: agentKeyExample, AgentID: 12,
    allowedOrigins: ['https://shop.example'], isActive: true, CreatedOn: createdOnExample, UpdatedOn: createdOnExample,
  },
);

export const saveWidget = defineRequest({
  subject: 'gateway.widget.save',
  request: described(
    'SaveWidgetRequest',
    'A new widget, or (with `WidgetKeyID`) the new state of one.',
    z.object({
      WidgetKeyID: Uuid.nullish(),
      name: filledText(80),
      AgentKeyID: Uuid,
      allowedOrigins: z.array(Origin).min(1).max(50),
      isActive: z.boolean().default(true),
    }),
    { WidgetKeyID: null, name: 'Shop front', AgentKeyID: agentKeyExample, allowedOrigins: ['https://shop.example'] },
  ),
  reply: Widget,
});

export const listWidgets = defineRequest({
  subject: 'gateway.widget.list',
  request: described(
    'ListWidgetsRequest',
    'Which page of the widgets.',
    z.object(queryPaging(['CreatedOn', 'UpdatedOn', 'name'])),
    { pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('WidgetPage', Widget),
});

const WidgetChoice = described('WidgetChoice', 'One widget.', z.object({ WidgetKeyID: Uuid }), { WidgetKeyID: widget });

export const getWidget = defineRequest({ subject: 'gateway.widget.get', request: WidgetChoice, reply: Widget });

export const deleteWidget = defineRequest({ subject: 'gateway.widget.delete', request: WidgetChoice, reply: Widget });

/** Issues the token by which a server lets one visitor of its own into `/ws/widgetchat`. */
export const createWidgetToken = defineRequest({
  subject: 'gateway.widget-token.create',
  request: described(
    'WidgetTokenRequest',
    'The widget to open, and variables for the agent prompt.',
    z.object({
      WidgetKeyID: Uuid,
      variables: z.record(z.string().max(64), z.unknown()).optional(),
    }),
    { WidgetKeyID: widget, variables: { name: 'Asha' } },
  ),
  reply: described(
    'WidgetToken',
    'A single-use token for the widget socket.',
    z.object({ token: z.string(), expiresAt: Timestamp, wsUrl: z.string() }),
    { token: 'wgt_EXAMPLE', expiresAt: '2026-03-02T09:31:00.000Z', wsUrl: 'wss://voice.example/ws/widgetchat' },
  ),
});
