import type { MediaFormat, WireMessage } from '@parley/ports';
import { FakeCarrier, type FakeSurroundings } from '../carrier-media/carrier.fake';
import { audioKindOf, audioSocketFrame, audioSocketMedia, frameKinds, FrameReader, rateOfKind } from './audiosocket-media';

const aheadMsMax = 60;
export const fakeUuid = '0f0e0d0c-0b0a-4988-8776-655443322110';

/** Asterisk's end of an AudioSocket: accepts only hang-up and audio in real time, and splits its own bytes anywhere. */
export class FakeAudioSocket extends FakeCarrier {
  private readonly frames = new FrameReader();
  private isHungUp = false;
  private cut = 0;

  constructor(
    surroundings: FakeSurroundings,
    format: MediaFormat = { encoding: 'pcm16', sampleRate: 8000 },
    private readonly uuid = fakeUuid,
  ) {
    super(audioSocketMedia, surroundings, format);
  }

  begin(): void {
    this.frame(frameKinds.uuid, Buffer.from(this.uuid.replaceAll('-', ''), 'hex'));
    this.speak(new Uint8Array(320));
  }

  speak(bytes: Uint8Array): void {
    this.frame(audioKindOf(this.format.sampleRate), bytes);
  }

  press(digit: string): void {
    this.frame(frameKinds.digit, Buffer.from(digit, 'latin1'));
  }

  hangUp(): void {
    this.frame(frameKinds.hangUp, new Uint8Array(0));
    this.media.disconnected({ isClean: true, message: 'end of stream' });
  }

  protected receive(message: WireMessage): void {
    if (typeof message === 'string') throw new Error('an AudioSocket takes no text');
    for (const { kind, payload } of this.frames.push(message)) this.take(kind, payload);
  }

  protected override closed(): void {
    this.isToldOfEnd = this.isHungUp;
  }

  private take(kind: number, payload: Uint8Array): void {
    this.rule(!this.isHungUp, 'nothing comes after a hang-up');
    if (kind === frameKinds.hangUp) {
      this.rule(payload.length === 0, 'a hang-up has no payload');
      this.isHungUp = true;
      return;
    }
    this.rule(rateOfKind(kind) === this.format.sampleRate, `audio comes as the channel's kind, not ${kind}`);
    this.rule(payload.length >= 1 && payload.length <= 640, `a frame has 20 ms at most, not ${payload.length} bytes`);
    this.queue.add(payload);
    const allowedMs = aheadMsMax + this.latestMs();
    this.rule(this.queue.aheadMs <= allowedMs, `audio runs ${allowedMs} ms ahead at most, not ${this.queue.aheadMs}`);
  }

  private frame(kind: number, payload: Uint8Array): void {
    const bytes = audioSocketFrame(kind, payload);
    const at = ++this.cut % bytes.length;
    if (at > 0) this.say(bytes.slice(0, at));
    this.say(bytes.slice(at));
  }
}
