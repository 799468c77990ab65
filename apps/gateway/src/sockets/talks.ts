import { Injectable } from '@nestjs/common';
import type { ServerFrame } from '@parley/contracts';
import type { Door } from './doors';
import type { Newcomer } from './entrance';
import { SessionOpener } from './session-opener';
import type { SpokenTalk } from './spoken-talk';
import type { ClientWord, SessionStart, Stage, Talk } from './talk';
import { WidgetTalk } from './widget-talk';

/** Makes the talk that belongs to a door. */
@Injectable()
export class Talks {
  constructor(private readonly opener: SessionOpener) {}

  at({ talk }: Door, newcomer: Newcomer, stage: Stage): Talk {
    const { opener } = this;
    if (talk === 'widget') return new WidgetTalk(opener, newcomer, stage);
    if (talk === 'transcription') return new LineTalk((start) => opener.transcription(newcomer, stage, start));
    return new LineTalk((start) => {
      const session = () => opener.session(newcomer, start, 'VOICE');
      return opener.spoken(newcomer, stage, { session, start, channel: 'VOICE' });
    });
  }
}

/** A talk that is spoken from its first moment. */
class LineTalk implements Talk {
  private spoken: SpokenTalk | undefined;

  constructor(private readonly make: (start: SessionStart) => SpokenTalk) {}

  async begin(start: SessionStart): Promise<ServerFrame> {
    this.spoken = this.make(start);
    return { type: 'session.ready', ...(await this.spoken.begin()) };
  }

  sound(bytes: Uint8Array): void {
    this.spoken?.sound(bytes);
  }

  say(word: ClientWord): void {
    this.spoken?.say(word);
  }

  end(): void {
    this.spoken?.end();
  }

  async leave(reason: string): Promise<void> {
    await this.spoken?.leave(reason);
  }
}
