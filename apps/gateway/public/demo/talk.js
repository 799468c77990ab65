import { after, initialState } from './conversation.js';
import { Line } from './line.js';
import { Loudspeaker } from './loudspeaker.js';
import { Microphone } from './microphone.js';
import { closingWords, microphoneWords } from './plain-words.js';
import { levelOf } from './samples.js';

const [sampleRate, frameMs, lastSilenceMs] = [16_000, 20, 1500];

/** A conversation with the agent: connection, microphone, loudspeaker, and what the page shows of them. */
export class Talk {
  constructor({ widget, show, showLevel }) {
    Object.assign(this, { widget, show, showLevel, state: initialState, isMuted: false });
  }

  /** Opens the microphone, and the connection if needed. Must be called from a user gesture. */
  async listen(language) {
    if (this.microphone || this.isAsking) return;
    this.isAsking = true;
    try {
      await this.prepareSound();
      this.microphone = await Microphone.open({
        context: this.context,
        toRate: sampleRate,
        frameMs,
        onFrame: (frame) => this.hear(frame),
        onLost: () => this.stopListening({ text: microphoneWords({ name: 'NotFoundError' }), isBad: true }),
      });
      this.connect(language);
      this.dispatch({ type: 'page.microphone', isOn: true });
    } catch (problem) {
      this.dispatch({ type: 'page.notice', text: microphoneWords(problem), isBad: true });
    } finally {
      this.isAsking = false;
    }
  }

  stopListening(notice) {
    this.microphone?.close();
    this.microphone = undefined;
    // A caller who mutes has finished speaking: without silence to hear, the agent would wait for more of the sentence.
    for (let ms = 0; ms < lastSilenceMs; ms += frameMs) this.line?.speak(new Int16Array((sampleRate * frameMs) / 1000));
    this.showLevel(0);
    this.dispatch({ type: 'page.microphone', isOn: false });
    if (notice) this.dispatch({ type: 'page.notice', ...notice });
  }

  /** Sends typed text; opens the connection if needed. */
  async type(text, language) {
    // Typing works without sound.
    await this.prepareSound().catch(() => undefined);
    this.connect(language);
    const isTaken = this.line.say({ type: 'text', text });
    if (isTaken) this.dispatch({ type: 'page.typed', text });
    else this.dispatch({ type: 'page.notice', text: 'Please wait until the connection is back.', isBad: true });
  }

  /**
   * Asks the agent to stop in the middle of its sentence. The sound is not stopped here: some agents finish their answer first.
   */
  interrupt() {
    if (this.loudspeaker?.isOpen) this.line?.tell({ type: 'playback', playedMs: this.loudspeaker.playedMs });
    this.line?.tell({ type: 'interrupt' });
  }

  mute(isMuted) {
    this.isMuted = isMuted;
    this.loudspeaker?.mute(isMuted);
  }

  end() {
    this.line?.end();
    this.line = undefined;
    this.rest({ text: closingWords(1000) });
  }

  connect(language) {
    if (this.line) return;
    const url = new URL(`/ws/widgetchat?widget=${encodeURIComponent(this.widget)}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const opening = { sampleRate, encoding: 'pcm16', language };
    const hear = {
      onFrame: (frame) => this.take(frame),
      onSound: (bytes) => this.loudspeaker?.play(bytes),
      onRetrying: () => this.lose(),
      onClosed: (code) => this.close(code),
    };
    this.line = new Line({ url: url.href, opening, hear });
    this.dispatch({ type: 'page.opened' });
    this.line.open();
  }

  take(frame) {
    if (frame.type === 'agent.audio.start') this.loudspeaker?.begin(frame.sampleRate);
    if (frame.type === 'agent.interrupted') this.loudspeaker?.stop();
    this.dispatch(frame);
  }

  lose() {
    this.loudspeaker?.stop();
    this.dispatch({ type: 'page.retrying' });
  }

  close(code) {
    this.line = undefined;
    this.rest({ text: closingWords(code), isBad: code !== 1000 });
  }

  rest(closing) {
    this.loudspeaker?.stop();
    if (this.microphone) this.stopListening();
    this.dispatch({ type: 'page.closed', ...closing });
  }

  hear(frame) {
    this.showLevel(levelOf(frame));
    this.line?.speak(frame);
  }

  /** Browsers allow a page to play sound only after a user gesture. */
  async prepareSound() {
    if (!this.context) {
      this.context = new AudioContext({ latencyHint: 'interactive' });
      const modules = ['capture-worklet.js', 'playback-worklet.js'].map((name) => new URL(name, import.meta.url));
      this.prepared = Promise.all(modules.map((module) => this.context.audioWorklet.addModule(module)));
    }
    await this.context.resume();
    await this.prepared;
    this.loudspeaker ??= new Loudspeaker(this.context, {
      onPlayed: (playedMs) => this.line?.tell({ type: 'playback', playedMs }),
      onDrained: () => this.dispatch({ type: 'page.played' }),
      onLossy: () =>
        this.dispatch({ type: 'page.notice', text: 'Sound came faster than it can be played; some of it was lost.' }),
    });
    this.loudspeaker.mute(this.isMuted);
  }

  dispatch(event) {
    this.state = after(this.state, event);
    this.show(this.state);
  }
}
