const wishes = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

/** The microphone as frames of 16-bit samples. */
export class Microphone {
  /** Asks for permission; throws what the browser throws if it is refused. */
  static async open({ context, toRate, frameMs, onFrame, onLost }) {
    if (!navigator.mediaDevices) throw new DOMException('no microphone on an insecure page', 'SecurityError');
    const stream = await navigator.mediaDevices.getUserMedia({ audio: wishes });
    const options = { numberOfOutputs: 0, channelCount: 1, channelCountMode: 'explicit', processorOptions: { toRate, frameMs } };
    const capture = new AudioWorkletNode(context, 'capture', options);
    capture.port.onmessage = ({ data }) => onFrame(data);
    const source = context.createMediaStreamSource(stream);
    source.connect(capture);
    for (const track of stream.getTracks()) track.addEventListener('ended', onLost);
    return new Microphone(stream, source, capture);
  }

  constructor(stream, source, capture) {
    Object.assign(this, { stream, source, capture });
  }

  close() {
    this.capture.port.onmessage = null;
    this.source.disconnect();
    for (const track of this.stream.getTracks()) track.stop();
  }
}
