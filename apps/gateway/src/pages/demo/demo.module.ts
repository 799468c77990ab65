import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayConfig } from '../../config';
import { DemoController } from './demo.controller';
import { DemoWidget } from './demo-widget';

/** The demo page, where somebody wishes it. */
@Module({})
export class DemoModule {
  static with(config: GatewayConfig): DynamicModule {
    const widget = new DemoWidget(config);
    const controllers = widget.isWished ? [DemoController] : [];
    return { module: DemoModule, controllers, providers: [{ provide: DemoWidget, useValue: widget }], exports: [DemoWidget] };
  }
}
