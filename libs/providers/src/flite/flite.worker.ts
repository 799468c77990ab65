import { parentPort, workerData } from 'node:worker_threads';
import { runForOutput } from './in-memory-wasi.ts';

const headerBytes = 44;
const flite: WebAssembly.Module = workerData;

parentPort?.on('message', ({ text, voice, pace }: { text: string; voice: string; pace: number }) => {
  try {
    const wav = runForOutput(flite, ['flite', '-voice', voice, '--setf', `duration_stretch=${1 / pace}`, '-t', text, '-o', 'out.wav']);
    const bytes = wav.slice(headerBytes, wav.length - (wav.length % 2));
    const sampleRate = new DataView(wav.buffer).getUint32(24, true);
    const samples = new Int16Array(bytes.buffer);
    parentPort?.postMessage({ samples, sampleRate }, [samples.buffer]);
  } catch (failure) {
    parentPort?.postMessage({ failure: String(failure) });
  }
});
