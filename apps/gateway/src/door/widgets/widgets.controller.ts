import { Controller } from '@nestjs/common';
import { deleteWidget, getWidget, listWidgets, saveWidget } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { callerOf } from '../keys/principals';
import { type WidgetRow, WidgetsService } from './widgets.service';

/** Answers for widgets on the bus. */
@Controller()
export class WidgetsController {
  constructor(private readonly widgets: WidgetsService) {}

  @Handles(saveWidget)
  async save(body: Parameters<HandlerOf<typeof saveWidget>>[0], call: Call) {
    return shown(await this.widgets.save(body, callerOf(call)));
  }

  @Handles(listWidgets)
  async list(body: Parameters<HandlerOf<typeof listWidgets>>[0], call: Call) {
    const page = await this.widgets.list(body, callerOf(call));
    return { ...page, rows: page.rows.map(shown) };
  }

  @Handles(getWidget)
  async get({ WidgetKeyID }: { WidgetKeyID: string }, call: Call) {
    return shown(await this.widgets.get(WidgetKeyID, callerOf(call)));
  }

  @Handles(deleteWidget)
  async delete({ WidgetKeyID }: { WidgetKeyID: string }, call: Call) {
    return shown(await this.widgets.delete(WidgetKeyID, callerOf(call)));
  }
}

function shown(widget: WidgetRow) {
  const { keyId, id, publicId, name, agentKeyId, agentId, allowedOrigins, isActive } = widget;
  const { variables, dailyCredits, createdOn, updatedOn } = widget;
  return {
    WidgetKeyID: keyId,
    WidgetID: id,
    publicId,
    name,
    AgentKeyID: agentKeyId,
    AgentID: agentId,
    allowedOrigins,
    isActive,
    variables,
    dailyCredits,
    CreatedOn: createdOn.toISOString(),
    UpdatedOn: updatedOn.toISOString(),
  };
}
