// The stubs around livekit agents-js that its contestants share: an instant model, voice and microphone.
import { createRequire } from 'node:module';
import path from 'node:path';

/** The framework in this folder, and stubs derived from its classes. The voice speaks for `answerMs` at this sample rate. */
export function livekitWithStubs(folder, { sampleRate, answerMs, answer, onAsked = () => undefined }) {
  const require = createRequire(path.join(folder, 'package.json'));
  const { AudioFrame } = require('@livekit/rtc-node');
  const agents = require('@livekit/agents');
  const frameOf = (samples, rate = sampleRate) => new AudioFrame(samples, rate, 1, samples.length);

  class Microphone extends agents.voice.AudioInput {
    constructor() {
      super();
      this.multiStream.addInputStream(new ReadableStream({ start: (controller) => void (this.controller = controller) }));
    }

    push(samples, rate) {
      this.controller.enqueue(frameOf(samples, rate));
    }
  }

  const Speaker = speakerOf(agents, { sampleRate, answerMs, frameOf });
  return { agents, Model: modelOf(agents, { answer, onAsked }), Speaker, Microphone };
}

function modelOf({ llm, DEFAULT_API_CONNECT_OPTIONS }, { answer, onAsked }) {
  class Reply extends llm.LLMStream {
    async run() {
      this.queue.put({ id: 'stub', delta: { role: 'assistant', content: answer } });
    }
  }

  return class Model extends llm.LLM {
    constructor(call) {
      super();
      this.call = call;
    }

    label() {
      return 'stub';
    }

    chat({ chatCtx, toolCtx, connOptions = DEFAULT_API_CONNECT_OPTIONS }) {
      onAsked(this.call);
      return new Reply(this, { chatCtx, toolCtx, connOptions });
    }
  };
}

function speakerOf({ tts }, { sampleRate, answerMs, frameOf }) {
  class Speech extends tts.SynthesizeStream {
    label = 'stub';

    async run() {
      for await (const text of this.input) {
        if (typeof text === 'symbol') continue;
        for (let ms = 0; ms < answerMs; ms += 100) {
          const frame = frameOf(new Int16Array(sampleRate / 10).fill(5000));
          this.queue.put({ requestId: 'stub', segmentId: 'stub', frame, final: ms + 100 >= answerMs });
        }
        this.queue.put(tts.SynthesizeStream.END_OF_STREAM);
      }
    }
  }

  return class Speaker extends tts.TTS {
    label = 'stub';

    constructor() {
      super(sampleRate, 1, { streaming: true });
    }

    synthesize() {
      throw new Error('only streams are asked for');
    }

    stream() {
      return new Speech(this);
    }
  };
}
