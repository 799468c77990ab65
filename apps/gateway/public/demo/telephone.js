import { el } from '/assets/elements.js';
import { Loudspeaker } from './loudspeaker.js';
import { Microphone } from './microphone.js';
import { microphoneWords } from './plain-words.js';

/** Telephone quality, whatever the microphone supports. */
const [sampleRate, frameMs, unsentBytesMax] = [8000, 20, 16_000];
const linesMax = 200;

/** A telephone on the simulated network: calls the agent as a real one would, with this page's microphone and speaker. */
export class Telephone {
  constructor({ url, button, state, lines }) {
    Object.assign(this, { url, button, state, lines });
    button.addEventListener('click', () => (this.socket ? this.hangUp() : this.call()));
  }

  async call() {
    if (this.isAsking) return;
    this.isAsking = true;
    this.say('Asking for the microphone…');
    try {
      await this.prepareSound();
      const onFrame = (frame) => this.speak(frame);
      const microphone = { context: this.context, toRate: sampleRate, frameMs, onFrame, onLost: () => this.hangUp() };
      this.microphone = await Microphone.open(microphone);
      this.ring();
    } catch (problem) {
      this.say(microphoneWords(problem));
    } finally {
      this.isAsking = false;
    }
  }

  ring() {
    this.lines.replaceChildren();
    this.lines.hidden = false;
    this.loudspeaker.begin(sampleRate);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => this.take(data);
    socket.onclose = () => this.rest();
    this.button.textContent = 'Hang up';
    this.say('Ringing…');
  }

  take(data) {
    if (typeof data !== 'string') return this.loudspeaker.play(data);
    const { type, text } = JSON.parse(data);
    if (type === 'answered') this.say('The line is open: speak.');
    else if (type === 'over') this.say(text);
    else if (this.lines.childElementCount < linesMax) this.lines.append(el('li', {}, text));
  }

  speak(frame) {
    if (this.socket?.readyState === WebSocket.OPEN && this.socket.bufferedAmount < unsentBytesMax) this.socket.send(frame.buffer);
  }

  hangUp() {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send('hang-up');
    this.loudspeaker?.stop();
    this.microphone?.close();
  }

  rest() {
    this.socket = undefined;
    this.loudspeaker.stop();
    this.microphone?.close();
    this.button.textContent = 'Call the agent by telephone';
    if (this.state.textContent === 'Ringing…') this.say('The telephone could not be reached.');
  }

  say(words) {
    this.state.textContent = words;
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
    const nobody = () => undefined;
    this.loudspeaker ??= new Loudspeaker(this.context, { onPlayed: nobody, onDrained: nobody, onLossy: nobody });
  }
}
