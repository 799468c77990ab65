import { joinSamples } from '@parley/audio';
import { type HearingEvent, type LiveHearing, ProviderFailure, ScriptedSpeechToText, type SpeechToText } from '@parley/ports';
import { eventually } from '@parley/testing';
import { finalOf, hear, kindsOf, listen, loud, quiet, rate } from './listening.suite';

/** A fake stream to a live engine, driven by the test. */
class HandLine implements LiveHearing {
  samples = 0;
  isFinished = false;
  isClosed = false;
  private readonly waiting: HearingEvent[] = [];
  private wake = Promise.withResolvers<void>();
  private ended: { readonly failure?: Error } | undefined;

  push(samples: Int16Array): void {
    this.samples += samples.length;
  }

  finish(): void {
    this.isFinished = true;
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  say(...events: HearingEvent[]): void {
    this.waiting.push(...events);
    this.wake.resolve();
  }

  end(failure?: Error): void {
    this.ended ??= { failure };
    this.wake.resolve();
  }

  readonly events: AsyncIterable<HearingEvent> = {
    [Symbol.asyncIterator]: () => this.read(),
  };

  private async *read(): AsyncGenerator<HearingEvent> {
    for (;;) {
      const next = this.waiting.shift();
      if (next) yield next;
      else if (this.ended?.failure) throw this.ended.failure;
      else if (this.ended) return;
      else {
        await this.wake.promise;
        this.wake = Promise.withResolvers();
      }
    }
  }
}

describe('openRecognition with a live engine', () => {
  let lines: HandLine[];
  let engine: SpeechToText;

  beforeEach(() => {
    lines = [];
    const scripted = new ScriptedSpeechToText([], { live: true, sampleRates: [rate] });
    engine = Object.assign(scripted, {
      listen: async () => {
        const line = new HandLine();
        lines.push(line);
        return line;
      },
    });
  });

  const lineAt = async (index: number): Promise<HandLine> => {
    await eventually('the line is open', () => lines.length > index);
    return lines[index] ?? new HandLine();
  };

  it('sends only voices, passes partials on, and ends the stream with the turn', async () => {
    const listening = await listen({ speechToText: engine });
    const line = await lineAt(0);
    hear(listening.recognition, quiet(3200));
    expect(line.samples).toBe(0);
    hear(listening.recognition, joinSamples([loud(640), quiet(320)]));
    expect(line.samples).toBeGreaterThan(0.6 * rate);
    line.say({ kind: 'partial', text: 'good mor' });
    await eventually('the guess comes', () => kindsOf(listening.events).includes('partial'));
    listening.recognition.finishTurn();
    expect(line.isFinished).toBe(true);
    line.say({ kind: 'final', text: 'Good morning.' });
    line.end();
    await eventually('the last words come', () => kindsOf(listening.events).filter((kind) => kind === 'final').length === 2);
    const finals = listening.events.filter(({ kind }) => kind === 'final');
    expect(finals).toMatchObject([{ text: 'Good morning.' }, { text: '' }]);
  });

  it('uses the last partial as final when the engine ends without one', async () => {
    const listening = await listen({ speechToText: engine });
    const line = await lineAt(0);
    hear(listening.recognition, joinSamples([loud(640), quiet(320)]));
    line.say({ kind: 'partial', text: 'good morning' });
    listening.recognition.finishTurn();
    line.end();
    await eventually('the last words come', () => kindsOf(listening.events).includes('final'));
    expect(listening.events.at(-1)).toMatchObject({ kind: 'final', text: 'good morning' });
  });

  it('places the engine’s words in the call, although it was sent no silence', async () => {
    const listening = await listen({ speechToText: engine, prefixMs: 320 });
    const line = await lineAt(0);
    hear(listening.recognition, joinSamples([quiet(3200), loud(640), quiet(320)]));
    line.say({ kind: 'final', text: 'yes', words: [{ text: 'yes', startMs: 320, endMs: 900 }] });
    await eventually('the words come', () => kindsOf(listening.events).includes('final'));
    const final = listening.events.at(-1);
    const [word] = final?.kind === 'final' ? (final.words ?? []) : [];
    expect(Math.abs((word?.startMs ?? 0) - 3200)).toBeLessThanOrEqual(64);
  });

  it('has a finished turn of which its stream says nothing transcribed at pauses, and what follows', async () => {
    const listening = await listen({ speechToText: engine });
    const line = await lineAt(0);
    hear(listening.recognition, joinSamples([quiet(320), loud(640), quiet(320)]));
    const finals = () => listening.events.flatMap((event) => (event.kind === 'final' ? event : []));
    listening.recognition.finishTurn();
    line.end(new ProviderFailure('scripted', 'nothing came', { retryable: true }));
    await eventually('the words come', () => finals().length === 1);
    expect(finals()).toMatchObject([{ text: 'hello', afterTurns: 0 }]);
    hear(listening.recognition, joinSamples([quiet(640), loud(640), quiet(320)]));
    expect(await finalOf(listening)).toMatchObject({ text: 'hello', afterTurns: 1 });
    expect(lines[2]).toBeUndefined();
  });

  it('sends the whole turn over a second stream when the first is lost, and transcribes at pauses when both are', async () => {
    const listening = await listen({ speechToText: engine });
    const line = await lineAt(0);
    hear(listening.recognition, joinSamples([quiet(320), loud(640)]));
    line.end(new ProviderFailure('scripted', 'lost the line', { retryable: true }));
    const second = await lineAt(1);
    await eventually('it hears the turn', () => second.samples >= line.samples);
    second.end(new ProviderFailure('scripted', 'lost the line', { retryable: true }));
    await eventually('it is closed', () => second.isClosed);
    expect((await finalOf(listening)).text).toBe('hello');
    expect(kindsOf(listening.events)).not.toContain('recognition-failed');
  });

  it('holds words back until the voice beside the agent’s is known to be near, and drops those of a far one', async () => {
    const { recognition, events } = await listen({ speechToText: engine });
    const line = await lineAt(0);
    hear(recognition, joinSamples([quiet(640), loud(1600), quiet(1000)]));
    const texts = () => events.flatMap((event) => (event.kind === 'partial' ? event.text : []));
    recognition.noticeOwnVoice(
      quiet(9000).map((_, at) => 9000 * Math.sin((2 * Math.PI * 470 * at) / rate)),
      3240,
    );
    hear(recognition, joinSamples([quiet(320), loud(320)]));
    line.say({ kind: 'partial', text: 'how can' });
    await new Promise(setImmediate);
    expect(texts()).toEqual([]);
    hear(recognition, loud(960));
    expect(texts()).toEqual(['how can']);
    hear(recognition, joinSamples([quiet(1500), loud(128).map((sample) => sample / 2), loud(320).map((sample) => sample / 5)]));
    line.say({ kind: 'partial', text: 'and now the weather' });
    await new Promise(setImmediate);
    hear(
      recognition,
      loud(1500).map((sample) => sample / 5),
    );
    expect([texts(), kindsOf(events).slice(-2)]).toEqual([['how can'], ['speech-started', 'speech-stopped']]);
  });

  it('closes its stream on close', async () => {
    const { recognition } = await listen({ speechToText: engine });
    const line = await lineAt(0);
    recognition.close();
    expect(line.isClosed).toBe(true);
  });
});
