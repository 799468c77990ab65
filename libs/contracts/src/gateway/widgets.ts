import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  IpAddress,
  isHost,
  listOf,
  queryPaging,
  requiredWhenNew,
  secret,
  Timestamp,
  Uuid,
} from '../vocabulary';

const widget = '91c2d3e4-5f60-4718-8293-a4b5c6d7e8f9';

/** `https://shop.example`: scheme, host and port, nothing after. */
const Origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[^\s/?#@]+$/, 'must be an origin such as https://shop.example')
  .refine((origin) => URL.canParse(origin), 'must be an origin such as https://shop.example');
const NewOrigin = Origin.refine((origin) => isHost(URL.parse(origin)?.hostname ?? ''), 'must name a host that can exist');

/** A chat widget that pages of its allowed origins may embed. */
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
    variables: z.array(z.string()),
    dailyCredits: z.int(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    WidgetKeyID: widget,
    WidgetID: 2,
    publicId: 'wdg_3kZpQ81n',
    name: 'Shop front',
    AgentKeyID: agentKeyExample,
    AgentID: 12,
    allowedOrigins: ['https://shop.example'],
    isActive: true,
    variables: ['name'],
    dailyCredits: 200_000,
    CreatedOn: createdOnExample,
    UpdatedOn: createdOnExample,
  },
);

/** The stored fields of a widget, with their defaults. */
export const WidgetFields = z.object({
  name: z.string(),
  AgentKeyID: Uuid,
  allowedOrigins: z.array(z.string()),
  isActive: z.boolean().default(true),
  variables: z.array(z.string()).default([]),
  dailyCredits: z.int().default(200_000),
});

export const saveWidget = defineRequest({
  subject: 'gateway.widget.save',
  request: described(
    'SaveWidgetRequest',
    'A new widget, which needs `name`, `AgentKeyID` and `allowedOrigins`; or (with `WidgetKeyID`) the changes to one.',
    z
      .object({
        WidgetKeyID: Uuid.nullish(),
        name: filledText(80).optional(),
        AgentKeyID: Uuid.optional(),
        allowedOrigins: z.array(NewOrigin).min(1).max(50).optional(),
        isActive: z.boolean().nullish(),
        variables: z
          .array(z.string().regex(/^[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,63}$/u, 'must be the name of a variable'))
          .max(20)
          .nullish()
          .meta({ description: 'What visitors may tell the agent about themselves, each in at most 200 characters.' }),
        dailyCredits: z.int().min(1).max(1_000_000_000).nullish().meta({
          description:
            'What all visitors together may use in a day (UTC): the sum of tokens, characters and seconds. 200,000 by default.',
        }),
      })
      .superRefine(requiredWhenNew('WidgetKeyID', ['name', 'AgentKeyID', 'allowedOrigins'])),
    { WidgetKeyID: null, name: 'Shop front', AgentKeyID: agentKeyExample, allowedOrigins: ['https://shop.example'] },
    { WidgetKeyID: widget, isActive: false, variables: null },
  ),
  reply: Widget,
});

export const listWidgets = defineRequest({
  subject: 'gateway.widget.list',
  request: described(
    'ListWidgetsRequest',
    'A page of the list of widgets.',
    z.object(queryPaging(['CreatedOn', 'UpdatedOn', 'name'])),
    { pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('WidgetPage', Widget),
});

const WidgetChoice = described('WidgetChoice', 'One widget.', z.object({ WidgetKeyID: Uuid }), { WidgetKeyID: widget });

export const getWidget = defineRequest({ subject: 'gateway.widget.get', request: WidgetChoice, reply: Widget });

/** A widget was changed or deleted: every gateway checks at once whether its open sockets may stay. Not stored. */
export const widgetChanged = defineEvent({
  subject: 'gateway.widget.changed',
  payload: described('WidgetChanged', 'The widget.', z.object({ WidgetKeyID: Uuid }), { WidgetKeyID: widget }),
});

export const deleteWidget = defineRequest({ subject: 'gateway.widget.delete', request: WidgetChoice, reply: Widget });

/** Issues a token with which a server admits one of its visitors to `/ws/widgetchat`. */
export const createWidgetToken = defineRequest({
  subject: 'gateway.widget-token.create',
  request: described(
    'WidgetTokenRequest',
    'The widget to open, and variables for the agent prompt.',
    z.object({
      WidgetKeyID: Uuid,
      variables: z.record(z.string().max(64), z.unknown()).optional(),
      visitorIp: IpAddress.optional(),
    }),
    { WidgetKeyID: widget, variables: { name: 'Asha' } },
  ),
  reply: described(
    'WidgetToken',
    'A single-use token for the widget socket.',
    z.object({ token: secret(z.string()), expiresAt: Timestamp, wsUrl: z.string() }),
    { token: 'wgt_EXAMPLE', expiresAt: '2026-03-02T09:31:00.000Z', wsUrl: 'wss://voice.example/ws/widgetchat' },
  ),
});
