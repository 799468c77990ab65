import { Module } from '@nestjs/common';
import { MailOutboxController } from './mail-outbox.controller';
import { MailQueue } from './mail-queue';
import { MailDispatch } from './sending/mail-dispatch';

/** Mail on its way out. */
@Module({ controllers: [MailOutboxController], providers: [MailDispatch, MailQueue], exports: [MailQueue] })
export class MailModule {}
