import { type DynamicModule, Module } from '@nestjs/common';
import { WidgetsController } from '../widgets/widgets.controller';
import { WidgetsService } from '../widgets/widgets.service';
import { CredentialWatch, CredentialWatchPace } from './credential-watch';
import { EntryTokens, socketAddress, socketAddressOf } from './entry-tokens';
import { TokensController } from './tokens.controller';

type Settings = Parameters<typeof socketAddressOf>[0] & { readonly SOCKET_CREDENTIAL_CHECK: number };

/** Ways in for browsers: widgets, and tokens that open one socket. */
@Module({})
export class TokensModule {
  static with(config: Settings, keys: DynamicModule): DynamicModule {
    return {
      module: TokensModule,
      imports: [keys],
      controllers: [TokensController, WidgetsController],
      providers: [
        CredentialWatch,
        { provide: CredentialWatchPace, useValue: { checkMs: config.SOCKET_CREDENTIAL_CHECK } },
        EntryTokens,
        WidgetsService,
        { provide: socketAddress, useValue: socketAddressOf(config) },
      ],
      exports: [keys, EntryTokens, WidgetsService],
    };
  }
}
